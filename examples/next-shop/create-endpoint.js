// Tells the service where the shop hears of payments, and prints the secret that proves who calls. Run it once per address.
import { createSvcPay, orThrow } from '@svc-pay/server';

const { BASE_URL, SECRET_KEY, ACCOUNT_ID, SHOP } = process.env;
const svc = createSvcPay({ baseUrl: BASE_URL, secretKey: SECRET_KEY, accountId: ACCOUNT_ID });
const { secret } = orThrow(
  await svc.endpoints.create({ url: `${SHOP}/api/webhooks`, eventTypes: ['payment.completed'] }),
);
console.log(secret);
