// CPU profiles of the services, written by Node when they end, and drawn as flame graphs.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { drawFlame } from './draw-flame.ts';
import { type CpuProfile, foldProfile, heaviest } from './fold-profile.ts';
import type { ServiceName } from './settle-world.ts';

const FOLDER = path.resolve('.cache/profiles');
const SERVICES = ['api', 'settlement', 'webhooks'] as const;
const HEAVIEST = 12;

export function profileArguments(service: ServiceName): readonly string[] {
  const folder = path.join(FOLDER, service);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=500'];
}

/** After the services have ended. Returns what to print. */
export function drawProfiles(services: readonly ServiceName[] = SERVICES): readonly string[] {
  return services.flatMap((service) => {
    const folder = path.join(FOLDER, service);
    const [file] = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
    if (file === undefined) return [`${service} left no profile`];
    const root = foldProfile(JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as CpuProfile);
    const drawing = path.join(FOLDER, `${service}.svg`);
    writeFileSync(drawing, drawFlame(`${service}: ${(root.totalUs / 1_000_000).toFixed(1)} s of CPU`, root));
    return [
      `${service}: ${path.relative('.', drawing)}`,
      ...heaviest(root, HEAVIEST).map(
        ({ label, selfUs }) => `  ${((selfUs / root.totalUs) * 100).toFixed(1).padStart(5)} %  ${label}`,
      ),
    ];
  });
}
