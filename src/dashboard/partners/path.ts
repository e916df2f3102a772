export const LIST = '/dashboard/partners/'
