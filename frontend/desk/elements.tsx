import {
  type ButtonHTMLAttributes,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
} from "react";
import { useDesk } from "./context.ts";

interface HeadingProps {
  children: string;
  /** Names the document in place of the heading, which may be somebody's name. */
  title?: string;
  lang?: string;
  /** Where the page was scrolled to when it was left. */
  scroll?: number;
}

/** The heading of a view: it has the focus when the view comes, and names the document. */
export function Heading({ children, title = children, lang, scroll = 0 }: HeadingProps) {
  const { texts } = useDesk();
  const heading = useRef<HTMLHeadingElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the view comes
  useLayoutEffect(() => {
    heading.current?.focus({ preventScroll: true });
    // The site scrolls smoothly otherwise.
    window.scrollTo({ top: scroll, behavior: "instant" });
  }, []);

  useEffect(() => {
    document.title = `${title} · ${texts.title}`;
  }, [title, texts]);

  return (
    <h1 ref={heading} tabIndex={-1} lang={lang}>
      {children}
    </h1>
  );
}

/** For the `ref` of what takes the place of the button that was pressed. */
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
  const { texts } = useDesk();
  return (
    <div className="desk-panel" role="alert">
      <p>{text}</p>
      <Button onClick={onRetry}>{texts.retry}</Button>
    </div>
  );
}

/** In place of a view that could not be read. */
export function FailedView(props: FailedProps) {
  const { texts } = useDesk();
  return (
    <>
      <Heading>{texts.failed}</Heading>
      <Failed {...props} />
    </>
  );
}

/** Gives a panel's heading or first field the focus when it opens, and its button when it is closed. */
export function usePanelFocus(open: string | null, saved = false) {
  const section = useRef<HTMLElement>(null);
  /** The button that was pressed last. */
  const opener = useRef<HTMLButtonElement>(null);
  const isFirst = useRef(true);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was saved closes its panel
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const find = (selector: string) => section.current?.querySelector<HTMLElement>(selector);
    const back = opener.current?.isConnected ? opener.current : find("h2");
    const target =
      open === null ? back : find(".desk-panel :is([tabindex], input, select, textarea, button)");
    target?.focus();
  }, [open, saved]);

  return { section, opener };
}
