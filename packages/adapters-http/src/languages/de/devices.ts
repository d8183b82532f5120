import { html } from "../../html/Html.js"
import type * as en from "../en/devices.js"
import { number, plural } from "./words.js"

const CLOCK = "Lassen Sie das Handy Datum und Uhrzeit automatisch einstellen."

export const devices: typeof en.devices = {
  title: "Geräte",
  lead: "Die Handys, die Ihren Standort senden. Ohne eines bekommt jede App, die fragt, die Antwort „unbekannt“.",
  none: "Noch kein Handy sendet Ihren Standort. Fügen Sie unten das erste hinzu.",
  labels: { name: "Name", format: "Die App darauf" },
  add: {
    heading: "Gerät hinzufügen",
    which: "Welches Handy haben Sie?",
    kinds: { iphone: "iPhone", android: "Android-Handy", other: "Etwas anderes" },
    names: { iphone: "Mein iPhone", android: "Mein Android-Handy", other: "Mein Gerät" },
    onlyBrowser: "Nur diesen Browser",
    nameHint: "Damit Sie es wiedererkennen, zum Beispiel „Mein Handy“.",
    appHint: "Alle sind kostenlos. Die erste passt für die meisten.",
    button: "Gerät hinzufügen",
    cannotBeAdded: (reason) => html`kann nicht hinzugefügt werden: ${reason}`
  },
  earlier: {
    heading: "Wo Sie früher waren",
    text: "Sie können Dateien von Rekordern, Sportuhren, anderen Trackern und der Google-Zeitachse zu Ihrem Standortverlauf hinzufügen.",
    button: "Datei importieren",
    soFar: "Bisherige Importe"
  },
  apps: {
    overland: {
      name: "Overland",
      description: "Meldet auch, wann Sie ankommen und gehen. Das macht Besuche genau."
    },
    owntracks: {
      name: "OwnTracks",
      description: "Beobachtet Ihre Orte, sendet, wenn Sie sich bewegen, und braucht wenig Akku."
    },
    traccar: {
      name: "Traccar Client",
      description: "Sendet, wenn Sie sich bewegen, und sonst alle zehn Minuten."
    },
    osmand: { name: "OsmAnd", description: "Eine Karte. Sie sendet nur, solange Sie eine Strecke aufzeichnen." },
    gpslogger: { name: "GPSLogger", description: "Für alle, die gern jede Einzelheit einstellen." },
    browser: { name: "Dieser Browser", description: "Sendet, solange seine Seite offen ist." },
    json: { name: "Ihr eigenes Programm", description: "Sendet JSON, wie es die API beschreibt." }
  },
  card: {
    app: "App",
    lastSeen: "Zuletzt gesehen",
    never: "Nie",
    seen: (ago, at) => html`${ago} (${at})`,
    accuracy: "Genauigkeit",
    added: "Hinzugefügt",
    remove: (device) => `${device} entfernen`,
    removeText:
      "Sein Token gilt ab sofort nicht mehr. Ihr Standortverlauf behält, was es gesendet hat. Um das rückgängig zu machen, fügen Sie das Gerät neu hinzu."
  },
  home: {
    stays: (device) => `${device} bleibt zu Hause`,
    question: (device) => `Bleibt ${device} zu Hause?`,
    staysText: "Solange ein anderes Gerät Ihren Standort sendet, beachten Apps nicht, wo dieses ist.",
    questionText:
      "Für ein Tablet oder ein altes Handy, das Sie nicht bei sich tragen. Solange ein anderes Gerät Ihren Standort sendet, beachten Apps nicht, wo dieses ist.",
    carry: "Ich habe es bei mir",
    yes: "Es bleibt zu Hause"
  },
  arrival: {
    waiting: "Warten auf den ersten Standort …",
    waitingText: "Das dauert ein oder zwei Minuten, nachdem Sie den Standort erlaubt haben.",
    lookAgain: "Noch einmal nachsehen",
    received: "Empfangen.",
    receivedWithin: (metres) => `Empfangen, ±${number(metres)} m.`,
    last: (ago) => html`Der letzte Standort kam ${ago}.`
  },
  states: { fresh: "Sendet", late: "Verspätet", silent: "Sendet nichts", never: "Noch nichts gesendet" },
  putAside: {
    heading: "Was wir nicht verwenden konnten",
    readings: (count, last) => html`${plural(count, "Messung", "Messungen")}, zuletzt ${last}.`
  },
  quarantine: {
    unreadable: {
      status: "Sendet, was wir nicht lesen können",
      explanation:
        "Wir konnten die Zeit oder die Position nicht lesen. Prüfen Sie die Einstellungen der App, die sie sendet."
    },
    out_of_range: {
      status: "Sendet unmögliche Positionen",
      explanation: "Der Breitengrad oder der Längengrad lag außerhalb des möglichen Bereichs."
    },
    null_island: {
      status: "Sendet keine Position",
      explanation: "Die Position war 0° Nord, 0° Ost: Das Handy wusste nicht, wo es war."
    },
    future: {
      status: "Seine Uhr geht falsch",
      explanation: `Das Handy nannte eine Zeit, die unserer um mehr als 5 Minuten voraus war. ${CLOCK}`
    },
    too_old: { status: "Seine Uhr geht falsch", explanation: `Das Handy nannte eine Zeit vor 2010. ${CLOCK}` },
    no_stay: {
      status: "Sendet unmögliche Besuche",
      explanation: "Ein Besuch hatte keine Zeit, oder er endete, bevor er begann."
    },
    not_kept: {
      status: "Sendet, was Sie nicht aufbewahren",
      explanation:
        "Es war älter, als Sie Ihren Standortverlauf aufbewahren wollen, oder aus einer Zeit, die Sie gelöscht haben; deshalb haben wir es nicht gespeichert."
    }
  },
  sending: {
    heading: "Die letzten 24 Stunden",
    byHour: "Standorte je Stunde, verspätete in Rot",
    hour: "Stunde",
    readings: "Standorte",
    late: "Verspätet",
    nothing: "In dieser Zeit hat es nichts aufgezeichnet.",
    nothingLeft: "Ihr Verlauf hat nichts aus dieser Zeit, von der Sie einen Teil gelöscht haben.",
    summed: (readings) => html`${plural(readings, "Standort", "Standorte")} in 24 Stunden.`,
    noneLate: (readings) =>
      `${readings === 1 ? "Er kam" : "Alle kamen"} innerhalb von 15 Minuten, rechtzeitig für Regeln.`,
    someLate: (late) =>
      html`${plural(late, "kam", "kamen")} mehr als 15 Minuten, nachdem das Handy dort war: Für
      ${late === 1 ? "diesen" : "diese"} löst keine Regel aus.`,
    noSilence: "Es schwieg nie 15 Minuten lang.",
    erased: "Ein Schweigen um eine Zeit, deren Verlauf Sie gelöscht haben, zählt dabei nicht.",
    silences: (times, longest, from) =>
      html`${plural(times, "Mal", "Mal")} schwieg es 15 Minuten oder länger, am längsten ${longest} ab ${from}. Solange
      es schweigt, lesen Apps „unbekannt“, und eine Regel, die auf einen Aufenthalt wartet, löst spät aus.`,
    advice: "Was Sie ändern können",
    muchAdvice:
      "Es sendet öfter, als Regeln es brauchen. Das leert seinen Akku. Unterwegs genügt ein Standort in der Minute.",
    lateAdvice: {
      overland:
        "Stellen Sie den Schieber auf der ersten Seite von Overland auf 5 Minuten oder weniger, und schalten Sie „Defers Location Updates“ aus.",
      owntracks:
        "Lassen Sie OwnTracks auf Android ohne Akkubeschränkung laufen. Ohne Netz warten die Standorte auf dem Handy.",
      traccar:
        "Lassen Sie Traccar Client auf Android ohne Akkubeschränkung laufen. Ohne Netz warten die Standorte auf dem Handy.",
      osmand: "OsmAnd behält Standorte, solange es kein Netz hat, und sendet sie später.",
      gpslogger: "Lassen Sie GPSLogger ohne Akkubeschränkung laufen. Ohne Netz warten die Standorte auf dem Handy.",
      browser: "Lassen Sie die Seite offen: Solange sie zu ist, warten ihre Standorte.",
      json: "Lassen Sie Ihr Programm jeden Standort innerhalb von 15 Minuten hochladen."
    },
    sleepAdvice: {
      overland:
        "Schalten Sie in den Einstellungen von Overland „Pause Updates Automatically“ aus. Das kostet Akku. Oder setzen Sie „Resume with Geofence“ auf 100 m: Ankünfte kommen dann bald, nur während eines Aufenthalts bleibt es still.",
      owntracks:
        "Setzen Sie auf Android „ping“ in der Konfiguration auf 15, und lassen Sie OwnTracks ohne Akkubeschränkung laufen. Ein iPhone mit OwnTracks schläft, bis es sich bewegt: Overland oder Traccar Client können es wach halten.",
      traccar:
        "Setzen Sie „Stationary heartbeat“ auf 600. Mit 0 sendet Traccar Client nichts, solange das Handy still liegt.",
      osmand:
        "OsmAnd sendet nur, solange es eine Strecke aufzeichnet. Nehmen Sie für Regeln OwnTracks oder Traccar Client.",
      gpslogger:
        "Setzen Sie den Abstandsfilter auf 0 und den Genauigkeitsfilter auf 100, und lassen Sie die App ohne Akkubeschränkung laufen.",
      browser: "Er sendet nur, solange seine Seite offen ist.",
      json: "Lassen Sie Ihr Programm mindestens alle 10 Minuten einen Standort senden, auch ohne Bewegung."
    }
  },
  troubles: {
    neverArrived: "Noch ist nichts angekommen",
    wentSilent: "Es sendet nicht mehr",
    imprecise: "Seine Standorte sind ungenau",
    address: (address) =>
      `Adresse: Die App muss genau ${address} haben, und das Token, das mit der Adresse gezeigt wurde.`,
    network: "Netzwerk: Handys erreichen diese Adresse nur aus Ihrem eigenen Netzwerk, nicht über mobile Daten.",
    openOnce: "Öffnen Sie die App einmal. Die meisten Apps senden dann, was sie aufgehoben haben.",
    thickWalls: "Hinter dicken Wänden wissen Handys es nicht besser. Warten Sie, bis das Handy nahe am Fenster ist.",
    permission: {
      iphone:
        "Berechtigung, iPhone: Unter Einstellungen, Datenschutz, Ortungsdienste muss bei der App „Immer“ eingestellt sein.",
      android:
        "Berechtigung, Android: In den Einstellungen der App muss unter Berechtigungen, Standort „Immer zulassen“ eingestellt sein."
    },
    precise: {
      iphone:
        "iPhone: Schalten Sie unter Einstellungen, Datenschutz, Ortungsdienste bei der App „Genauer Standort“ ein.",
      android:
        "Android: Schalten Sie in den Einstellungen der App unter Berechtigungen, Standort den genauen Standort ein."
    },
    battery: {
      iphone:
        "Akku, iPhone: Der Stromsparmodus beendet Apps im Hintergrund. Die App durch Wischen zu schließen beendet sie auch.",
      android:
        "Akku, Android: Stellen Sie in den Einstellungen der App den Akkuverbrauch auf „Uneingeschränkt“. Energiesparmodi beenden die App."
    },
    switchedOn: {
      overland: "In Overland muss das Tracking eingeschaltet sein.",
      owntracks:
        "In OwnTracks darf die Überwachung (Monitoring) nicht auf „Quiet“ oder „Manual“ stehen, und der Modus muss HTTP sein.",
      traccar: "In Traccar Client muss das fortlaufende Tracking eingeschaltet sein.",
      osmand: "OsmAnd sendet nur, solange es eine Strecke aufzeichnet und das Online-Tracking eingeschaltet ist.",
      gpslogger: "GPSLogger muss aufzeichnen, und „Log to custom URL“ muss eingeschaltet sein.",
      browser:
        "Die Seite „Von diesem Browser aus teilen“ muss offen sein, und der Browser muss ihr den Standort erlauben.",
      json: "Sehen Sie sich den Status der letzten Anfrage Ihres Programms an. 401 heißt, dass das Token falsch ist."
    }
  }
}
