export { createIcpRefunds } from '../refund/icp-refunds.ts';
export { createIcpPayments, type IcpPaymentOptions } from './icp-payments.ts';
