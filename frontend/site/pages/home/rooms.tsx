import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { Impression } from "#site/art/impression.tsx";
import "./rooms.css";

const rooms = [
  { room: "penthouse", plan: "PH3", width: "100vw" },
  { room: "kitchen", plan: "PH1", width: "58vw" },
  { room: "bedroom", plan: "C1", width: "46vw" },
] as const;

export function Rooms() {
  const { t } = useTranslation();
  return (
    <section className="rooms" aria-label={t("rooms.heading")}>
      <div className="swipe">
        {rooms.map(({ room, plan, width }) => (
          <Impression
            key={room}
            of={room}
            plan={plan}
            className={`rooms-${room}`}
            sizes={`(max-width: 47.99em) 16rem, ${width}`}
          />
        ))}
      </div>
    </section>
  );
}
