import type { AnchorHTMLAttributes } from "react";
import { type LinkProps, useHref, useLinkClickHandler } from "react-router-dom";

interface Props extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  /** Path, query and fragment. */
  to: string;
  /** Kept with the entry of the history. */
  state?: LinkProps["state"];
}

/** The router's own link without its prefetching, which is a tenth of the page's script. */
export function Link({ to, state, onClick, ...rest }: Props) {
  const follow = useLinkClickHandler(to, { state });
  return (
    <a
      {...rest}
      href={useHref(to)}
      onClick={(event) => {
        onClick?.(event);
        if (!event.defaultPrevented) {
          follow(event);
        }
      }}
    />
  );
}
