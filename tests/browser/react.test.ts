import { expect, test } from 'vitest';
import { browserWorld } from './browser-world.ts';

const open = browserWorld(`
  import { createElement, StrictMode } from 'react';
  import { createRoot } from 'react-dom/client';
  import { SvcPayButton } from '@svc-pay/pay-button/react';
  const given = document.querySelector('svc-pay-button');
  const place = document.createElement('div');
  document.querySelector('main').append(place);
  const root = createRoot(place);
  window.said = [];
  window.show = (more) => root.render(createElement(StrictMode, null, more && createElement(SvcPayButton, {
    apiUrl: given.getAttribute('api-url'), publishableKey: 'pk_test_page', metadata: { size: 'M' },
    onStateChange: (detail) => window.said.push(detail.state), ...more,
  })));
`);

type ReactPage = { show: (props: object | undefined) => void; said: string[] };

test('props become what the button stands for, changes are told, and an unmounted one is gone', async () => {
  const { page, reaches, service } = await open({ buttons: [{ 'usd-amount': '7', order: 'plain' }] });
  const show = (props?: object) => page.evaluate((more) => (window as unknown as ReactPage).show(more), props);
  const press = page.locator('svc-pay-button').nth(1).locator('.press');
  await show({ usdAmount: '2', order: 'a' });
  await expect.poll(() => press.innerText()).toBe('Pay $2.00');
  await show({ usdAmount: '12.50', order: 'b', lang: 'en' });
  await expect.poll(() => press.innerText()).toBe('Pay $12.50');
  await press.click();
  await reaches('paid', 1);
  expect(service.asked.intent[0]).toMatchObject({ usdAmount: '12.50', metadata: { size: 'M', order: 'b' } });
  const said = await page.evaluate(() => (window as unknown as ReactPage).said);
  expect(said.slice(-2)).toEqual(['sending', 'paid']);
  await show();
  await expect.poll(() => page.locator('svc-pay-button').count()).toBe(1);
});
