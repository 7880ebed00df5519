import type { ReactNode } from "react";
import { texts } from "#desk/language.ts";
import { Button } from "./button.tsx";
import { Heading } from "./heading.tsx";

interface FailedProps {
  text: ReactNode;
  onRetry: () => void;
}

export function Failed({ text, onRetry }: FailedProps) {
  return (
    <div className="desk-panel" role="alert">
      <p>{text}</p>
      <Button onClick={onRetry}>{texts.retry}</Button>
    </div>
  );
}

/** Shown instead of a view that another attempt cannot load. Leads to the list. */
export function DeadEnd({ heading, text }: { heading: string; text: string }) {
  return (
    <>
      <Heading>{heading}</Heading>
      <div className="desk-panel" role="alert">
        <p>{text}</p>
        <a className="button button-small" href="#/leads">
          {texts.toList}
        </a>
      </div>
    </>
  );
}

/** Shown instead of a view that could not be loaded. */
export function FailedView(props: FailedProps) {
  return (
    <>
      <Heading>{texts.failed}</Heading>
      <Failed {...props} />
    </>
  );
}
