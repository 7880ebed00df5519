import { Impression } from "#art/impression.tsx";
import { useTranslation } from "#i18n/use-translation.tsx";
import "./rooms.css";

const widths = { penthouse: "100vw", kitchen: "58vw", bedroom: "46vw" };
const rooms = Object.keys(widths) as (keyof typeof widths)[];

export function Rooms() {
  const { t } = useTranslation();
  return (
    <section className="rooms" aria-label={t("rooms.heading")}>
      <div className="swipe">
        {rooms.map((room) => (
          <Impression
            key={room}
            of={room}
            className={`rooms-${room}`}
            sizes={`(max-width: 47.99em) 16rem, ${widths[room]}`}
          />
        ))}
      </div>
    </section>
  );
}
