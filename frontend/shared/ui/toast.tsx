import { useEffect, useRef, useState } from "react";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { DismissButton, Icon } from "./icons.tsx";
import "./toast.css";

interface ToastProps {
  /** The subject of the text. A new object is a new message. */
  event: object | null;
  text: string;
  isGood: boolean;
  /** Below the bar in a narrow window, so the toast does not cover the bottom of the window. */
  atTop: boolean;
}

const SHOWN_FOR_MS = 8_000;

/** A message over the page. It is never the only confirmation: the page shows the same permanently. */
export function Toast({ event, text, isGood, atTop }: ToastProps) {
  const { t } = useTranslation();
  const region = useRef<HTMLDivElement>(null);
  const [dismissed, setDismissed] = useState<object | null>(null);
  const isShown = event !== null && event !== dismissed;

  useEffect(() => {
    if (!isShown) {
      return;
    }
    const timer = setInterval(() => {
      if (region.current?.querySelector(".toast:is(:hover, :focus-within)") === null) {
        setDismissed(event);
      }
    }, SHOWN_FOR_MS);
    return () => clearInterval(timer);
  }, [isShown, event]);

  const toast = isShown && (
    <div className={isGood ? "toast toast-good" : "toast"}>
      <Icon className="toast-sign" path={isGood ? "M4 12.5l5.5 5.5L20 7" : "M12 4v10M12 18v2"} />
      <p>{text}</p>
      <DismissButton label={t("toast.dismiss")} onClick={() => setDismissed(event)} />
    </div>
  );
  // One live region for each role, because a live region cannot change its role.
  return (
    <div className={atTop ? "toast-region toast-region-top" : "toast-region"} ref={region}>
      <div role="status">{isGood && toast}</div>
      <div role="alert">{!isGood && toast}</div>
    </div>
  );
}
