import { useEffect, useLayoutEffect, useRef } from "react";
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
