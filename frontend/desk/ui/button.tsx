import type { ButtonHTMLAttributes } from "react";

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
