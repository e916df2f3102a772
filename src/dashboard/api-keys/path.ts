export const LIST = '/dashboard/api-keys/'

export const newKeyPath = (partnerId: string) => `/dashboard/new/api-key/?partner_id=${partnerId}`
