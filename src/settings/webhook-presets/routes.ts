import { shippedRoutes } from '../shipped-routes.ts'
import { presets } from './presets.ts'

export const webhookPresetsRoutes = shippedRoutes(presets, 'settings.keys.read')
