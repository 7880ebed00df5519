import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { DismissButton, Icon } from "./icons.tsx";
import "./toast.css";

interface ToastProps {
  /** What the text is about: another object is another message. */
  event: object | null;
  text: string;
  isGood: boolean;
  /** Below the bar on a narrow window, where the foot of the window is what the text is about. */
  atTop: boolean;
}

const SHOWN_FOR_MS = 8_000;

/** A message over the page. Never the only confirmation: the page shows the same and keeps it. */
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
  // A live region keeps its role: there is one for each.
  return (
    <div className={atTop ? "toast-region toast-region-top" : "toast-region"} ref={region}>
      <div role="status">{isGood && toast}</div>
      <div role="alert">{!isGood && toast}</div>
    </div>
  );
}
