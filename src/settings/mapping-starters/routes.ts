import { shippedRoutes } from '../shipped-routes.ts'
import { starters } from './starters.ts'

export const mappingStartersRoutes = shippedRoutes(starters, 'settings.partners.read')
