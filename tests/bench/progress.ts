// How far a long measurement is: a line that is written over on a terminal, a line every tenth of the way elsewhere.

export type Progress = { readonly at: (reached: number) => void; readonly done: () => void };

const WIDTH = 30;

export function showProgress(label: string, total: number): Progress {
  const terminal = process.stderr.isTTY;
  let tenths = 0;
  return {
    at: (reached) => {
      const share = total === 0 ? 1 : Math.min(1, reached / total);
      if (terminal) {
        const bar = '█'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '░');
        process.stderr.write(`\r${bar} ${label}`);
      } else if (Math.floor(share * 10) > tenths) {
        tenths = Math.floor(share * 10);
        console.error(`${label}: ${tenths * 10} %`);
      }
    },
    done: () => {
      if (terminal) process.stderr.write('\r\x1b[K');
    },
  };
}
