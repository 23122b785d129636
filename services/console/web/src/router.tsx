// The addresses of the console. What belongs to an account is below its mode and its id, so that an address never shows
// live money to somebody who thinks it is play money. Each page is a chunk of its own.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router';
import { isRange, type RangeName } from './charts/range.ts';
import { readFilters } from './lists/filters.ts';
import { AccountFrame } from './shell/account-frame.tsx';
import { Home } from './shell/home.tsx';
import { NotFound } from './shell/not-found.tsx';
import { PageFailed } from './shell/page-failed.tsx';
import { SignedIn } from './shell/signed-in.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    typeof search['next'] === 'string' ? { next: search['next'] } : {},
  component: lazyRouteComponent(() => import('./pages/sign-in.tsx'), 'SignIn'),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./pages/invitation.tsx'), 'Invitation'),
});

const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SignedIn });
const home = createRoute({ getParentRoute: () => signedIn, path: '/', component: Home });
const profile = createRoute({
  getParentRoute: () => signedIn,
  path: '/profile',
  component: lazyRouteComponent(() => import('./pages/profile.tsx'), 'Profile'),
});
const operator = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator',
  component: lazyRouteComponent(() => import('./pages/operator.tsx'), 'Operator'),
});
const account = createRoute({ getParentRoute: () => signedIn, path: '/$mode/$accountId', component: AccountFrame });
const overview = createRoute({
  getParentRoute: () => account,
  path: '/overview',
  validateSearch: (search: Record<string, unknown>): { range?: RangeName } =>
    isRange(search['range']) ? { range: search['range'] } : {},
  component: lazyRouteComponent(() => import('./pages/overview.tsx'), 'OverviewPage'),
});
const payments = createRoute({
  getParentRoute: () => account,
  path: '/payments',
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import('./pages/payments.tsx'), 'Payments'),
});
const payment = createRoute({
  getParentRoute: () => account,
  path: '/payments/$intentId',
  component: lazyRouteComponent(() => import('./pages/payment.tsx'), 'PaymentPage'),
});
const newLink = createRoute({
  getParentRoute: () => account,
  path: '/new',
  component: lazyRouteComponent(() => import('./pages/new-link.tsx'), 'NewLink'),
});
const policy = createRoute({
  getParentRoute: () => account,
  path: '/other-amounts',
  component: lazyRouteComponent(() => import('./pages/other-amounts.tsx'), 'OtherAmounts'),
});
const keys = createRoute({
  getParentRoute: () => account,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/keys.tsx'), 'Keys'),
});
const endpoints = createRoute({
  getParentRoute: () => account,
  path: '/endpoints',
  component: lazyRouteComponent(() => import('./pages/endpoints.tsx'), 'Endpoints'),
});
const endpoint = createRoute({
  getParentRoute: () => account,
  path: '/endpoints/$endpointId',
  component: lazyRouteComponent(() => import('./pages/endpoint.tsx'), 'EndpointPage'),
});
const events = createRoute({
  getParentRoute: () => account,
  path: '/events',
  validateSearch: (search: Record<string, unknown>): { type?: string; undelivered?: 'true'; intentId?: string } => ({
    ...(typeof search['type'] === 'string' && { type: search['type'] }),
    ...(search['undelivered'] === 'true' && { undelivered: 'true' as const }),
    ...(typeof search['intentId'] === 'string' && { intentId: search['intentId'] }),
  }),
  component: lazyRouteComponent(() => import('./pages/events.tsx'), 'Events'),
});
const event = createRoute({
  getParentRoute: () => account,
  path: '/events/$eventId',
  component: lazyRouteComponent(() => import('./pages/event.tsx'), 'EventPage'),
});
const attempts = createRoute({
  getParentRoute: () => account,
  path: '/attempts',
  component: lazyRouteComponent(() => import('./pages/attempts.tsx'), 'Attempts'),
});
const payouts = createRoute({
  getParentRoute: () => account,
  path: '/payouts',
  component: lazyRouteComponent(() => import('./pages/payouts.tsx'), 'Payouts'),
});
const people = createRoute({
  getParentRoute: () => account,
  path: '/people',
  component: lazyRouteComponent(() => import('./pages/people.tsx'), 'People'),
});

const tree = root.addChildren([
  signIn,
  invitation,
  signedIn.addChildren([
    home,
    profile,
    operator,
    account.addChildren([
      overview,
      payments,
      payment,
      newLink,
      policy,
      keys,
      endpoints,
      endpoint,
      events,
      event,
      attempts,
      payouts,
      people,
    ]),
  ]),
]);

/** Query parameters are plain text, as in the API: `?status=failed`, never JSON. */
const plainSearch = {
  parseSearch: (text: string) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search: Readonly<Record<string, unknown>>) => {
    const given = Object.entries(search).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
    return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
  },
};

export const router = createRouter({
  routeTree: tree,
  ...plainSearch,
  defaultPreload: 'intent',
  defaultErrorComponent: PageFailed,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
