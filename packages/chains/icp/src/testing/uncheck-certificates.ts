import { Certificate } from '@icp-sdk/core/agent';

/** A bug to put into a process on purpose: every signature of a certificate fits, of whatever and by whomever. */
export function uncheckCertificates(): void {
  const create = Certificate.create.bind(Certificate);
  Certificate.create = (options) => create({ ...options, blsVerify: async () => true, disableTimeVerification: true });
}
