import {
  type ButtonHTMLAttributes,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
} from "react";
import { DeskError } from "#desk/api.ts";
import { texts } from "#desk/language.ts";

interface HeadingProps {
  children: string;
  /** Title of the document instead of the heading, which may be a visitor's name. */
  title?: string;
  lang?: string;
}

/** The heading of a view, which gets the focus and sets the title of the document. */
export function Heading({ children, title = children, lang }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);

  useLayoutEffect(() => {
    heading.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, []);

  useEffect(() => {
    document.title = `${title} · ${texts.title}`;
  }, [title]);

  return (
    <h1 ref={heading} tabIndex={-1} lang={lang}>
      {children}
    </h1>
  );
}

/** A `ref` that focuses the element that replaces a pressed button. */
export const focusOnMount = (element: HTMLElement | null) => element?.focus();

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  plain?: boolean;
  busy?: boolean;
}

/** A button that keeps the focus while it is busy. */
export function Button({ plain = false, busy = false, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={plain ? "button button-small button-plain" : "button button-small"}
      aria-disabled={busy}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      {...rest}
    />
  );
}

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

/** Seconds above which a wait is shown in minutes. */
const LONG_WAIT_SECONDS = 90;

/** @param saving the last colleague to change the lead, when typed text may not have been saved */
export function errorText(error: unknown, saving?: { by: string }): string {
  const { errors } = texts;
  const { code, retryAfterSeconds } = error instanceof DeskError ? error : new DeskError("");
  switch (code) {
    case "rate_limited":
      return retryAfterSeconds > LONG_WAIT_SECONDS
        ? errors.minutes(Math.ceil(retryAfterSeconds / 60))
        : errors.seconds(Math.max(1, retryAfterSeconds));
    case "changed_meanwhile":
      return errors.changed_meanwhile(saving?.by ?? "");
    case "invalid":
    case "consent_note_missing":
    case "forbidden":
    case "no_such_lead":
    case "ambiguous_reference":
    case "invalid_link":
      return errors[code];
    default:
      return errors[saving ? "not_saved" : code === "unreachable" ? code : "unavailable"];
  }
}

/** Moves the focus into a panel when it opens, and back to its button when it closes. */
export function usePanelFocus(open: string | null, saved = false) {
  const section = useRef<HTMLElement>(null);
  /** The last pressed button. */
  const opener = useRef<HTMLButtonElement>(null);
  const shown = useRef({ open, saved });

  useEffect(() => {
    // React also runs this effect when a hidden view becomes visible again, whose heading has the focus.
    if (shown.current.open === open && shown.current.saved === saved) {
      return;
    }
    shown.current = { open, saved };
    const find = (selector: string) => section.current?.querySelector<HTMLElement>(selector);
    const back = opener.current?.isConnected ? opener.current : find("h2");
    const target =
      open === null ? back : find(".desk-panel :is([tabindex], input, select, textarea, button)");
    target?.focus();
  }, [open, saved]);

  return { section, opener };
}
