import { html } from "../../html/Html.js"
import type * as en from "../en/setUp.js"

export const setUp: typeof en.setUp = {
  title: (device) => `${device} einrichten`,
  howTo: (device) => `So richten Sie ${device} ein`,
  address: "Adresse",
  token: "Token",
  tokenGone:
    "Das Token und sein QR-Code wurden einmal gezeigt. Wenn Sie sie verloren haben, fügen Sie das Handy neu hinzu, und entfernen Sie dieses.",
  shownOnce: html`<strong>Das zeigen wir nur einmal.</strong> Richten Sie das Handy jetzt ein, oder bewahren Sie das
    Token sicher auf. Wer es hat, kann als Sie Standorte senden.`,
  outOfReach: html`<strong>Ein Handy kann diese Adresse nicht erreichen</strong>: localhost ist nur dieser Computer.
    Starten Sie den Dienst mit einer Adresse Ihres Netzwerks als <code>BASE_URL</code> und mit
    <code>HOST=0.0.0.0</code>, und fügen Sie dann das Handy neu hinzu.`,
  browserInstead: (share) =>
    html`Ohne Handy probieren Sie den Dienst so aus: <a href="${share}">Von diesem Browser aus teilen</a>.`,
  stepByStep: (app) => html`${app}, Schritt für Schritt`,
  qrLink: "QR-Code. Er enthält einen Link, der die App öffnet und alles ausfüllt.",
  qrText: "QR-Code. Er enthält die Einstellungen unten als Text.",
  isThisThePhone: "Ist das hier das Handy?",
  openIn: (app) => html`In ${app} öffnen`,
  fillIn: "Was Sie eintragen",
  orByHand: "Oder tragen Sie es von Hand ein",
  tryIt: "Von einem Terminal aus ausprobieren",
  theCommand: "Befehl",
  answerIs: (answer) => html`Die Antwort ist <code>${answer}</code>.`,
  done: "Ich habe es eingerichtet",
  steps: {
    overland: () => [
      "Installieren Sie Overland aus dem App Store auf dem iPhone.",
      "Öffnen Sie Overland einmal, und lassen Sie es offen. Overland übernimmt Einstellungen nur, solange es läuft.",
      "Halten Sie die Kamera des iPhones auf den QR-Code, oder öffnen Sie den Link auf dem iPhone: Overland übernimmt die Einstellungen.",
      "Erlauben Sie in Overland den Standort immer, und schalten Sie das Tracking ein.",
      "Lassen Sie „Logging Mode“ auf „All Data“. Overlands eigene Besuche werden eingeschaltet, sobald eine App Ihre Besuche lesen darf."
    ],
    owntracks: () => [
      "Installieren Sie OwnTracks auf dem iPhone oder Android-Handy, und starten Sie es einmal.",
      "Halten Sie die Kamera des Handys auf den QR-Code, oder öffnen Sie den Link auf dem Handy, und nehmen Sie die neue Konfiguration an.",
      "Erlauben Sie den Standort immer. Lassen Sie OwnTracks auf Android auch ohne Akkubeschränkung laufen.",
      "Lassen Sie die Überwachung (Monitoring) auf „Significant“. Die App bemerkt dann, wann Sie an Ihren Orten ankommen und sie verlassen.",
      "Lassen Sie den Schlüssel für die Verschlüsselung leer: Was in der App verschlüsselt wird, können wir hier nicht lesen. HTTPS schützt es unterwegs."
    ],
    traccar: () => [
      "Installieren Sie Traccar Client auf dem iPhone oder Android-Handy, und starten Sie es einmal.",
      "Scannen Sie in den Einstellungen der App den QR-Code. Öffnen Sie auf dem Handy selbst stattdessen den Link.",
      "Erlauben Sie den Standort immer. Lassen Sie Traccar Client auf Android auch ohne Akkubeschränkung laufen.",
      "Lassen Sie das Puffern ohne Netz eingeschaltet, und schalten Sie das fortlaufende Tracking ein."
    ],
    osmand: () => [
      "Installieren Sie OsmAnd, und schalten Sie dort das Plugin „Streckenaufzeichnung“ ein.",
      "Schalten Sie in den Einstellungen des Plugins das Online-Tracking ein.",
      "Kopieren Sie die Webadresse hinein. Der QR-Code enthält denselben Text.",
      "Zeichnen Sie eine Strecke auf: OsmAnd sendet Ihren Standort nur, solange es eine aufzeichnet."
    ],
    gpslogger: () => [
      "Installieren Sie GPSLogger auf dem Android-Handy, von F-Droid oder von der Webseite der App.",
      "Scannen Sie innerhalb von 15 Minuten den QR-Code, und drücken Sie auf der Seite, die er öffnet, auf „In GPSLogger laden“.",
      "Das geht einmal. Sonst schalten Sie unter „Logging details“ die Einstellung „Log to custom URL“ ein, und tragen Sie die Felder unten ein.",
      "Erlauben Sie den Standort immer, lassen Sie GPSLogger ohne Akkubeschränkung laufen, und starten Sie die Aufzeichnung."
    ],
    browser: () => [
      "Öffnen Sie auf der Seite „Geräte“ die Seite „Von diesem Browser aus teilen“, in dem Browser, den Sie hinzugefügt haben.",
      "Drücken Sie auf „Starten“, und erlauben Sie den Standort.",
      "Lassen Sie die Seite offen. Sie sendet Ihren Standort nur, solange sie offen ist."
    ],
    json: (address) => [
      "Öffnen Sie die Einstellungen Ihrer App für das Hochladen, oder scannen Sie damit den QR-Code.",
      `Senden Sie Standorte als JSON mit POST an ${address}.`,
      "Senden Sie den Header Authorization: Bearer, gefolgt von einem Leerzeichen und dem Token. Wir zeigen es nur einmal.",
      "Wenn ein Hochladen fehlschlägt, senden Sie es später noch einmal: Nichts wird doppelt gespeichert."
    ]
  },
  off: "Aus",
  tuningHeading: "Wie oft es sendet, und was das kostet",
  tuningLead:
    "Eine Regel bemerkt eine Ankunft mit dem ersten Standort danach. Mit diesen Einstellungen kommt er bald, und genau genug für einen Ort mit 150 m Radius.",
  tuning: {
    overland: {
      pauses:
        "Das iPhone sendet weiter, wenn es still liegt. Das kostet von allen Einstellungen am meisten Akku. Um ihn zu schonen, schalten Sie das Pausieren ein und setzen „Resume with Geofence“ auf 100 m: Ankünfte bleiben genau, aber Apps lesen „unbekannt“, solange Sie bleiben.",
      accuracy: "Genau genug für einen Ort mit 150 m Radius. „Best“ lässt das GPS ständig eingeschaltet.",
      defers:
        "Aufgeschobene Standorte kommen spät. Für einen Standort, der mehr als 15 Minuten zu spät kommt, löst keine Regel aus.",
      slider: "Der Schieber auf der ersten Seite",
      interval:
        "In diesem Abstand sendet Overland. Ein längerer schont den Akku etwas, und die Regeln kommen um so viel später."
    },
    owntracks: {
      monitoring: "Braucht wenig Akku. „Move“ ist unterwegs genauer und leert den Akku an einem Tag.",
      ping: "Minuten zwischen zwei Standorten eines Android-Handys, das still liegt. Es kostet wenig, und Android erlaubt nicht weniger. Ein iPhone, das still liegt, sendet nichts, bis es sich bewegt.",
      distance:
        "Android sendet nach so vielen Metern. Mit den 500 m der App käme man an einem Ort mit 150 m Radius vorbei.",
      interval: "Android bestimmt den Standort alle so viele Sekunden. Eine kürzere Zeit kostet mehr Akku."
    },
    traccar: {
      accuracy:
        "Nutzt das GPS, während Sie sich bewegen. Das kostet Akku. „Medium“ verfehlt einen Ort mit 150 m Radius.",
      distance: "Meter zwischen zwei Standorten unterwegs. Ein kürzerer Abstand kostet mehr Akku und bringt wenig.",
      heartbeat:
        "Sekunden zwischen zwei Standorten eines Handys, das still liegt. Es kostet etwas Akku. Mit 0 lesen Apps nach 15 Minuten „unbekannt“."
    },
    osmand: {
      interval:
        "OsmAnd lässt das GPS während der ganzen Aufzeichnung eingeschaltet. Das kostet viel Akku, wie groß der Abstand auch ist."
    },
    gpslogger: {
      interval:
        "Sekunden zwischen zwei Standorten. Für jeden wird das GPS eingeschaltet: Die doppelte Zeit braucht den halben Akku.",
      distance:
        "Mit einem Filter sendet ein Handy nichts, das still liegt, und Apps lesen nach 15 Minuten „unbekannt“.",
      accuracy: "Meter. Ungenauere Standorte werden weggelassen. Mit 40 sendet ein Handy im Haus oft nichts.",
      bootup: "Das Handy sendet nach einem Neustart weiter. Das kostet nichts."
    },
    json: {
      heartbeatName: "Lebenszeichen",
      heartbeat: "Senden Sie mindestens alle 10 Minuten einen Standort, auch ohne Bewegung. Das kostet etwas Akku.",
      distanceName: "Abstand",
      distance: "Senden Sie unterwegs nach 50 m einen Standort.",
      accuracyName: "Genauigkeit",
      accuracy:
        "Oder besser: Ein ungenauerer Standort ändert an einem Ort mit 150 m Radius nichts. Genauere kosten Akku.",
      uploadName: "Hochladen",
      upload:
        "Laden Sie einen Standort innerhalb von 15 Minuten hoch. Spätere kommen in den Standortverlauf und lösen keine Regel aus."
    }
  },
  copyScript: {
    copy: "Kopieren",
    copyNamed: "Kopieren: {name}",
    copied: "Kopiert",
    copiedNamed: "Kopiert: {name}",
    byHand: "Bitte von Hand markieren",
    byHandNamed: "Bitte von Hand markieren: {name}",
    signedOut: "Sie sind abgemeldet. Deshalb sucht diese Seite nicht nach Standorten.",
    gone: "Dieses Gerät wurde entfernt, oder ein anderes Konto ist angemeldet. Deshalb sucht diese Seite nicht nach Standorten.",
    signIn: "Anmelden"
  },
  gpsLogger: {
    title: "GPSLogger einrichten",
    lead: "Installieren Sie GPSLogger auf diesem Handy, bevor Sie auf den Knopf drücken.",
    button: "In GPSLogger laden",
    once: "Der Knopf funktioniert einmal, und nur innerhalb von 15 Minuten, nachdem Sie das Gerät hinzugefügt haben. Wenn GPSLogger nichts Neues zeigt, fügen Sie das Gerät neu hinzu.",
    thenAllow: "Erlauben Sie dann den Standort immer, und starten Sie die Aufzeichnung."
  },
  share: {
    title: "Von diesem Browser aus teilen",
    lead: "Ohne App: Dieser Browser sendet, wo Sie sind, solange diese Seite offen ist. Das ist gut zum Ausprobieren. Die App eines Handys sendet auch, während der Bildschirm aus ist.",
    noScript: "Ein Browser nennt seinen Standort nur einem Skript, und Skripte sind hier ausgeschaltet.",
    appInstead: "Stattdessen die App eines Handys hinzufügen",
    label: "Teilen",
    start: "Starten",
    stop: "Stoppen",
    forget: "Diesen Browser vergessen",
    sent: "Gesendet",
    whatHappens: "Was dabei passiert",
    happens: {
      start:
        "„Starten“ fügt diesen Browser zu Ihren Geräten hinzu. Sein Token bleibt in diesem Browser und kann nur senden.",
      offline:
        "Ohne Netz warten die Standorte in diesem Browser, höchstens 720. Wenn Sie die Seite schließen, werden sie gesendet, sobald Sie wieder auf „Starten“ drücken.",
      stop: "„Stoppen“ beendet es sofort und löscht die Standorte, die noch warten. Auch das Schließen der Seite beendet es. „Vergessen“ entfernt das Gerät und sein Token.",
      others:
        "Auf einem Computer, den auch andere verwenden, drücken Sie auf „Diesen Browser vergessen“, bevor Sie gehen.",
      install:
        "Sie können diese Seite installieren: Wählen Sie im Menü des Browsers „Installieren“ oder „Zum Startbildschirm hinzufügen“."
    },
    installedName: "Place Access: von diesem Browser aus teilen",
    nothingIsSent: "Es wird nichts gesendet.",
    script: {
      notSecure: "Dieser Browser sagt nur auf sicheren Seiten (https), wo er ist.",
      waitsOne: "1 Standort ist noch nicht gesendet.",
      waits: "{count} Standorte sind noch nicht gesendet.",
      row: "{time}, ±{metres} m",
      sharing: "Ihr Standort wird geteilt. Lassen Sie diese Seite offen.",
      removed:
        "Dieser Browser wurde aus Ihren Geräten entfernt. Es wird nichts gesendet. Um wieder zu teilen, drücken Sie auf „Starten“.",
      offline: "Offline. Die Standorte warten in diesem Browser.",
      notAllowed:
        "Ihr Browser darf nicht sagen, wo Sie sind. Erlauben Sie dieser Seite den Standort, und drücken Sie dann auf „Starten“.",
      notFound: "Ihr Browser weiß nicht, wo Sie sind. Er versucht es weiter.",
      signedOut: "Sie sind abgemeldet. Laden Sie diese Seite neu.",
      tooManyDevices:
        "Sie haben so viele Geräte, wie ein Konto haben kann. Entfernen Sie eines auf der Seite „Geräte“, und drücken Sie dann auf „Starten“.",
      cannotBeAdded: "Dieser Browser konnte nicht hinzugefügt werden. Versuchen Sie es in einigen Minuten noch einmal.",
      looking: "Wir suchen, wo Sie sind …",
      tryAgain: "Offline. Versuchen Sie es wieder, wenn dieser Browser online ist.",
      stopped: "Gestoppt. Es wird nichts gesendet.",
      forgotten: "Vergessen. Dieser Browser kann nichts mehr senden.",
      notRemoved:
        "Dieser Browser konnte nicht entfernt werden. Versuchen Sie es noch einmal, oder entfernen Sie ihn auf der Seite „Geräte“."
    }
  }
}
