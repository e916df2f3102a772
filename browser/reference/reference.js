// Nothing here asks another host for anything: no fonts, no proxy, no telemetry, no assistant.
globalThis.Scalar.createApiReference('#app', {
  sources: [
    {
      title: 'Integrations',
      slug: 'integrations',
      url: '/api/integrations/v1/openapi.json',
      default: true,
      agent: { disabled: true },
    },
    {
      title: 'Settings',
      slug: 'settings',
      url: '/api/settings/v1/openapi.json',
      agent: { disabled: true },
    },
  ],
  authentication: { preferredSecurityScheme: 'apiKey' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  // As they are written: an order's number comes before its notes.
  orderSchemaPropertiesBy: 'preserve',
  documentDownloadType: 'json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  modelsSectionLabel: 'Schemas',
  hideClientButton: true,
  showDeveloperTools: 'never',
})
