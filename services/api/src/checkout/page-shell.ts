// What every page for payers has around its content. Addresses are relative, so that a proxy may serve the API below a path.
import { html, type SafeHtml } from '../http/html.ts';
import { assetPath } from './assets.ts';

/** The button comes after the page's own script, which tells it where the API is. */
export function pageShell(title: string, main: SafeHtml, withButton: boolean): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="../${assetPath('checkout.css')}">
<script type="module" src="../${assetPath('checkout.js')}"></script>
${withButton ? html`<script type="module" src="../${assetPath('svc-pay-button.js')}"></script>` : ''}
</head>
<body>
<div id="news" class="unseen" role="status"></div>
${main}
</body>
</html>
`;
  return page.text;
}
