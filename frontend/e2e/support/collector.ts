import { readFileSync } from "node:fs";
import { setting } from "./settings.ts";

/** A span as it was collected, flat. */
export interface Span {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: string;
  /** Ids of the traces that it points to. */
  links: string[];
}

interface Attribute {
  key: string;
  value: { stringValue?: string };
}

interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  links: { traceId: string }[];
}

interface Line {
  resourceSpans?: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: CollectedSpan[] }[];
  }[];
}

/** As OTLP numbers them. */
const KINDS = ["unspecified", "internal", "server", "client", "producer", "consumer"];

/** Everything that was collected so far, as text. */
export function collected(): string {
  return readFileSync(setting("COLLECTED"), "utf8");
}

/** The spans of a trace that were collected so far. */
export function spansOf(traceId: string): Span[] {
  return collected()
    .split("\n")
    .slice(0, -1)
    .flatMap((line) => (JSON.parse(line) as Line).resourceSpans ?? [])
    .flatMap(({ resource, scopeSpans }) => {
      const name = resource.attributes.find(({ key }) => key === "service.name");
      const service = name?.value.stringValue ?? "";
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => flat(service, span)));
    })
    .filter((span) => span.traceId === traceId);
}

function flat(service: string, span: CollectedSpan): Span {
  const { traceId, spanId, parentSpanId, name } = span;
  const kind = KINDS[span.kind] ?? "unknown";
  return {
    service,
    traceId,
    spanId,
    parentSpanId,
    name,
    kind,
    links: span.links.map((link) => link.traceId),
  };
}
