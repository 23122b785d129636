// How far a run is: one moving line on a terminal, and elsewhere a plain line now and then.

export type Progress = {
  readonly show: (done: number, note: string) => void;
  /** A line that stays. */
  readonly print: (line: string) => void;
  /** Takes the moving line away. */
  readonly end: () => void;
};

const EVERY_MS = 5_000;
const WIDTH = 30;

export function createProgress(total: number, stream: NodeJS.WriteStream = process.stdout): Progress {
  const moving = stream.isTTY;
  let lastMs = Number.NEGATIVE_INFINITY;
  let line = '';
  const wipe = () => {
    if (moving) stream.write('\r\u001B[2K');
  };
  return {
    show: (done, note) => {
      const share = Math.min(1, done / total);
      line = `${String(Math.floor(share * 100)).padStart(3)} % ${done}/${total} ${note}`;
      if (moving) {
        wipe();
        stream.write(`${'█'.repeat(Math.floor(share * WIDTH)).padEnd(WIDTH, '░')} ${line}`);
      } else if (performance.now() - lastMs > EVERY_MS) {
        lastMs = performance.now();
        stream.write(`${line}\n`);
      }
    },
    print: (text) => {
      wipe();
      stream.write(`${text}\n`);
      if (moving) stream.write(line);
    },
    end: wipe,
  };
}

export const silent: Progress = { show: () => {}, print: () => {}, end: () => {} };
