// Traces over OTLP, off unless a URL is configured. Only then is the SDK loaded: it costs memory and start-up time.
// Spans carry the route template and the status, never a URL with its query, a header or a body.
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';

/** Limit for flushing the last spans: a collector that is down must not block the stop. */
const LAST_SPANS_MS = 2_000;

export type Tracing = { readonly tracer: Tracer; readonly stop: () => Promise<void> };

export async function startTracing(url: string): Promise<Tracing> {
  const [{ BatchSpanProcessor, TracerProvider }, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all(
    [
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ],
  );
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'svc-pay-api' }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  });
  return {
    tracer: provider.getTracer('svc-pay-api'),
    stop: async () => {
      const sent = provider.shutdown().catch(() => {});
      await Promise.race([sent, sleep(LAST_SPANS_MS, undefined, { ref: false })]);
    },
  };
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Starts a span, as child of the caller's span if the caller sent a W3C `traceparent`. */
export function startRequestSpan(tracer: Tracer, route: string, method: string, traceparent: unknown): Span {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(typeof traceparent === 'string' ? traceparent : '') ?? [];
  const parent =
    traceId === undefined || spanId === undefined || flags === undefined
      ? ROOT_CONTEXT
      : trace.setSpanContext(ROOT_CONTEXT, {
          traceId,
          spanId,
          traceFlags: Number.parseInt(flags, 16),
          isRemote: true,
        });
  const attributes = { 'http.request.method': method, 'http.route': route };
  return tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
}

export function endRequestSpan(span: Span, status: number, requestId: string): void {
  span.setAttribute('http.response.status_code', status);
  span.setAttribute('svc.request_id', requestId);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
