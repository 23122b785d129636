// Starts the renderer of the reference. It asks nobody but this server, and the page's policy lets it ask nobody else.

// Runs before the renderer, whose validator otherwise tries whether it may make code at run time, which the policy reports.
globalThis['__zod_globalConfig'] = { jitless: true };

if (/^#[a-z][a-z0-9_]+$/.test(location.hash)) {
  // An error code: earlier releases explained them on this page.
  location.replace(`reference/errors${location.hash}`);
} else {
  document.addEventListener('DOMContentLoaded', () => {
    globalThis.Scalar.createApiReference('#reference', {
      url: new URL('openapi.json', location.href).href,
      theme: 'default',
      layout: 'modern',
      withDefaultFonts: false,
      telemetry: false,
      persistAuth: false,
      hideClientButton: true,
      // Keys have no business in a page of documentation.
      hideTestRequestButton: true,
      showDeveloperTools: 'never',
      documentDownloadType: 'json',
      defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
      agent: { disabled: true },
      mcp: { disabled: true },
    });
  });
}
