import { html } from "../../html/Html.js"
import type * as en from "../en/factors.js"
import { number, plural } from "./words.js"

export const factors: typeof en.factors = {
  title: "Ihr zweiter Faktor",
  isOn: "Mit Ihrem Passwort allein kann sich niemand anmelden: Wir fragen auch nach einem von diesen.",
  isOff: "Mit einem zweiten Faktor kann sich niemand anmelden, der nur Ihr Passwort herausfindet.",
  required: html`<strong
      >Sie prüfen oder verwalten hier Apps, und dieser Dienst verlangt dafür einen zweiten Faktor.</strong
    >
    Richten Sie unten einen ein. Bis dahin erreichen Sie nur diese Seite.`,
  otherBrowsers: "Andere Browser bleiben angemeldet, wenn Sie hier etwas ändern.",
  sessions: "Wo Sie angemeldet sind",
  remove: "Entfernen",
  removeOnly:
    "Das ist Ihr einziger zweiter Faktor. Ohne ihn genügt zum Anmelden Ihr Passwort, und Ihre Wiederherstellungscodes gelten nicht mehr.",
  removeOnlyOfStaff:
    "Das ist Ihr einziger zweiter Faktor. Ohne ihn erreichen Sie keine Seite für Prüfer und Administratoren, bis Sie einen anderen einrichten, und Ihre Wiederherstellungscodes gelten nicht mehr.",
  removal: {
    text: (opensAt) =>
      html`<strong>Jemand hat die Betreiber dieses Dienstes gebeten, Ihren zweiten Faktor zu entfernen.</strong> Möglich
        ist ihnen das ab: ${opensAt}. Haben Sie nicht darum gebeten? Dann verhindern Sie es hier.`,
    keep: "Meinen zweiten Faktor behalten"
  },
  passkeys: {
    heading: "Passkeys",
    text: "Ihr Handy, Ihr Computer oder ein Sicherheitsschlüssel meldet Sie an, mit dem Finger, dem Gesicht oder einer PIN. Ein Passkey gilt nur auf unseren Seiten, deshalb kann ihn Ihnen niemand ablisten. Er meldet Sie auch ohne Passwort an.",
    neverUsed: (added) => html`Hinzugefügt ${added}, nie verwendet`,
    used: (added, used) => html`Hinzugefügt ${added}, zuletzt verwendet ${used}`,
    removeOne: (name) => `Den Passkey ${name} entfernen`,
    add: "Passkey hinzufügen …",
    impossible: "Passkeys brauchen einen Namen in der Adresse des Dienstes. Dieser Dienst hat nur eine Netzwerkadresse."
  },
  codes: {
    heading: "Einmalcodes",
    text: "Eine App auf Ihrem Handy zeigt sechs Ziffern, die alle 30 Sekunden wechseln. Sie braucht kein Netz.",
    isOn: "Eingeschaltet",
    isClosed: "Gesperrt",
    closed:
      "Nach 100 falschen Codes hintereinander gelten die Codes dieser App nicht mehr. Sie gelten wieder, sobald Sie sich mit einem Passkey oder einem Wiederherstellungscode anmelden.",
    remove: "Die App entfernen",
    setUp: "App einrichten …"
  },
  recovery: {
    heading: "Wiederherstellungscodes",
    none: "Es ist kein Wiederherstellungscode übrig. Jeder meldet Sie einmal an, an Stelle Ihres zweiten Faktors. Neue ersetzen die bisherigen.",
    left: (count) =>
      `${plural(count, "Wiederherstellungscode ist", "Wiederherstellungscodes sind")} übrig. Jeder meldet Sie einmal an, an Stelle Ihres zweiten Faktors. Neue ersetzen die bisherigen.`,
    lost: (isMailed) =>
      `Haben Sie alles verloren, auch diese Codes? Fragen Sie die Betreiber dieses Dienstes. Die Betreiber können Ihren zweiten Faktor entfernen, aber erst drei Tage, nachdem sie darum gebeten wurden. Bis dahin können Sie es auf dieser Seite verhindern${isMailed ? ", und wir schicken Ihnen eine E-Mail" : ""}.`,
    make: "Neue Wiederherstellungscodes erstellen",
    endsKept: (count) =>
      count === 1
        ? "Der Code, den Sie aufbewahrt haben, gilt dann nicht mehr."
        : "Die Codes, die Sie aufbewahrt haben, gelten dann nicht mehr."
  },
  shownOnce: {
    title: "Ihre Wiederherstellungscodes",
    passkeyAdded: "Der Passkey wurde hinzugefügt",
    codesOn: "Einmalcodes sind eingeschaltet",
    renewed: "Ihre neuen Wiederherstellungscodes",
    lead: "Mit diesen Wiederherstellungscodes melden Sie sich an, wenn Sie Ihren zweiten Faktor nicht haben.",
    once: html`<strong>Sie werden nur einmal angezeigt.</strong> Drucken Sie sie aus, oder schreiben Sie sie auf, und
      bewahren Sie sie getrennt von Ihrem Passwort auf. Jeder Code gilt einmal.`,
    kept: "Ich habe sie aufbewahrt"
  },
  add: {
    title: "Passkey hinzufügen",
    lead: "Ihr Browser fragt, wo er ihn aufbewahren soll: auf diesem Gerät, auf Ihrem Handy oder auf einem Sicherheitsschlüssel.",
    without: "Dieser Browser hat keine Passkeys, oder JavaScript ist ausgeschaltet. Einmalcodes brauchen beides nicht.",
    name: "Name",
    nameHint: "Damit Sie ihn später wiedererkennen, zum Beispiel „Mein Handy“.",
    button: "Den Passkey hinzufügen",
    rejected:
      "wurde nicht angenommen, vielleicht weil diese Seite länger als fünf Minuten offen war. Versuchen Sie es noch einmal"
  },
  setUp: {
    title: "Einmalcodes einrichten",
    scan: "1. Geben Sie der App unser Geheimnis",
    scanText: "Scannen Sie dieses Bild mit einer App für Einmalcodes auf Ihrem Handy.",
    picture: "QR-Code. Er enthält das Geheimnis, das darunter steht.",
    isThisThePhone: "Ist dies das Handy?",
    open: "In der App öffnen",
    type: "Oder tippen Sie es ein",
    show: "2. Zeigen Sie uns, dass es funktioniert",
    code: "Der Code aus der App",
    codeHint: "Sechs Ziffern. Bis Sie sie senden, ändert sich nichts.",
    switchOn: "Einmalcodes einschalten",
    wrong: "ist nicht der von diesem Moment. Warten Sie auf den nächsten, und prüfen Sie die Uhr Ihres Handys"
  },
  asked: {
    code: "Code",
    passkey: "Der Passkey",
    hint: "Die sechs Ziffern Ihrer App oder ein Wiederherstellungscode.",
    closedHint:
      "Einer Ihrer Wiederherstellungscodes. Nach 100 falschen Codes hintereinander gelten die Codes Ihrer App nicht mehr.",
    recoveryHint: "Einer Ihrer Wiederherstellungscodes, wenn Sie den Passkey nicht zur Hand haben.",
    usePasskey: "Passkey verwenden",
    rejected: "wurde nicht angenommen. Laden Sie die Seite neu, oder verwenden Sie einen Code",
    wrong: "ist falsch oder wurde schon verwendet",
    tooOften: (minutes) =>
      `wurde zu oft versucht. Warten Sie ${minutes === 1 ? "eine Minute" : `${number(minutes)} Minuten`}, und versuchen Sie es dann noch einmal`,
    missing: "muss angegeben werden"
  },
  secondStep: {
    lead: "Ihr Passwort ist richtig. Zeigen Sie nun innerhalb von zehn Minuten, dass Sie es sind.",
    signIn: "Anmelden",
    again: "Von vorn beginnen",
    neither: "Sie haben keins von beiden?",
    neitherText:
      "Fragen Sie die Betreiber dieses Dienstes. Sie können Ihren zweiten Faktor entfernen, aber erst drei Tage, nachdem sie darum gebeten wurden. Wenn Sie Ihre E-Mail-Adresse bestätigt haben, bekommen Sie sofort eine E-Mail. In einem Browser, in dem Sie angemeldet sind, können Sie es verhindern."
  },
  codeUsed: {
    title: "Sie haben einen Wiederherstellungscode verwendet",
    last: "Sie sind angemeldet. Dieser Code gilt nicht noch einmal. Es war Ihr letzter.",
    left: (count) =>
      `Sie sind angemeldet. Dieser Code gilt nicht noch einmal. Sie haben noch ${plural(count, "Code", "Codes")}.`,
    lost: (href) =>
      html`Haben Sie Ihren zweiten Faktor verloren? Dann entfernen Sie ihn, und richten Sie gleich einen anderen ein:
        <a href="${href}">Ihr zweiter Faktor</a>.`,
    goOn: "Weiter"
  },
  signIn: {
    title: "Mit einem Passkey anmelden",
    rejected: "wurde nicht angenommen. Versuchen Sie es noch einmal, oder verwenden Sie Ihr Passwort",
    without:
      "Dieser Browser hat keine Passkeys, oder JavaScript ist ausgeschaltet. Melden Sie sich mit Ihrem Passwort an.",
    button: "Meinen Passkey verwenden",
    password: "Mit Ihrem Passwort anmelden"
  },
  script: {
    asking: "Ihr Browser fragt Sie nach dem Passkey …",
    known: "Dieses Gerät hat schon einen Passkey dieses Kontos.",
    address: "Dieser Browser erlaubt unter dieser Adresse keine Passkeys.",
    none: "Der Browser hat uns keinen Passkey gegeben. Versuchen Sie es noch einmal, oder nehmen Sie einen anderen Weg."
  }
}
