import os from 'node:os';

/** What the figures were seen on, and how busy it was. */
export function describeMachine(): string {
  const [cpu] = os.cpus();
  const load = os.loadavg().map((average) => average.toFixed(2));
  return `${os.cpus().length} × ${cpu?.model.trim()}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, ${os.type()} ${os.release()}, Node ${process.version}, load ${load.join(' ')}`;
}
