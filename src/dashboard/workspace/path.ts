export const PATH = '/dashboard/workspace/'
