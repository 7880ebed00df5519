import { readFileSync } from "node:fs";
import { setting } from "./settings.ts";

/** A collected span, flattened. */
export interface Span {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: string;
  /** Ids of linked traces. */
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

/** Span kinds, in the order of their OTLP numbers. */
const KINDS = ["unspecified", "internal", "server", "client", "producer", "consumer"];

/** Reads everything collected so far as text. */
export function readCollected(): string {
  return readFileSync(setting("COLLECTED"), "utf8");
}

/** The spans of a trace that were collected so far. */
export function spansOf(traceId: string): Span[] {
  return readCollected()
    .split("\n")
    .slice(0, -1)
    .flatMap((line) => (JSON.parse(line) as Line).resourceSpans ?? [])
    .flatMap(({ resource, scopeSpans }) => {
      const name = resource.attributes.find(({ key }) => key === "service.name");
      const service = name?.value.stringValue ?? "";
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => flatten(service, span)));
    })
    .filter((span) => span.traceId === traceId);
}

function flatten(service: string, span: CollectedSpan): Span {
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
