import type * as en from "../en/map.js"

export const map: typeof en.map = {
  label: "Karte",
  hint: "Klicken Sie auf die Mitte, und ziehen Sie dann die Nadel oder den Rand des Kreises. Mit der Tastatur: Die Pfeiltasten bewegen die Karte, + und − ändern den Maßstab, Enter nimmt die Mitte der Karte; auf der Nadel oder dem Rand bewegen die Pfeiltasten diese.",
  here: "Meinen jetzigen Standort verwenden",
  openStreetMap: "© OpenStreetMap-Mitwirkende",
  tilesOf: (host) => `Karte: ${host}`,
  place: {
    name: "Name",
    nameHint: "Wie Sie ihn nennen. Apps, für die Sie ihn freigeben, sehen diesen Namen.",
    kind: "Art",
    lat: "Breitengrad",
    latHint: "In Grad, zum Beispiel 52.5208",
    lon: "Längengrad",
    lonHint: "In Grad, zum Beispiel 13.4095",
    radius: "Radius",
    radiusHint:
      "Meter von der Mitte, 100 bis 10.000. Handys irren sich oft um 50 m. Deshalb bleibt in einem Kreis unter 150 m manche Ankunft unbemerkt.",
    centre: {
      set: "Legen Sie die Mitte des Ortes fest",
      how: "Klicken Sie auf die Karte, verwenden Sie Ihren jetzigen Standort, oder geben Sie sie von Hand ein"
    },
    byHand: "Von Hand eingeben",
    byHandHint:
      "Kartendienste zeigen die Koordinaten eines Punktes, wenn Sie den Finger oder die rechte Maustaste darauf halten."
  },
  kinds: {
    home: "Zuhause",
    work: "Arbeit",
    school: "Schule",
    gym: "Fitnessstudio",
    shop: "Geschäft",
    restaurant: "Restaurant",
    transit: "Bahn und Bus",
    health: "Gesundheit",
    other: "Anderes"
  },
  script: {
    newest: "Ihr neuester Standort",
    zoomIn: "Vergrößern",
    zoomOut: "Verkleinern",
    centre: "Mitte des Ortes. Ziehen Sie sie, oder bewegen Sie sie mit den Pfeiltasten.",
    edge: "Rand des Kreises. Ziehen Sie ihn, oder bewegen Sie ihn mit den Pfeiltasten.",
    size: "Größe des Kreises",
    metres: "{metres} Meter",
    looking: "Ihr Standort wird gesucht …",
    found: "Gefunden, auf {metres} Meter genau.",
    forbidden:
      "Ihr Browser darf nicht sagen, wo Sie sind. Erlauben Sie dieser Seite den Standort, und versuchen Sie es noch einmal.",
    notFound:
      "Ihr Browser konnte nicht feststellen, wo Sie sind. Versuchen Sie es noch einmal in der Nähe eines Fensters, oder wählen Sie einen Punkt auf der Karte.",
    far: "{name} liegt {km} km {direction}",
    directions: [
      "nördlich",
      "nordöstlich",
      "östlich",
      "südöstlich",
      "südlich",
      "südwestlich",
      "westlich",
      "nordwestlich"
    ]
  }
}
