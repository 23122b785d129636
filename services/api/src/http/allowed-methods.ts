import type { Route } from '../routes/route.ts';

/** The methods a path takes, or none when no route has that path: 405 against 404. */
export function createAllowedMethods(routes: readonly Route[]): (path: string) => readonly string[] {
  const patterns = routes.map((route) => ({
    method: route.method,
    pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return (path) => [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
}
