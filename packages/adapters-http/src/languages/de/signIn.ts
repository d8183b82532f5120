import { html } from "../../html/Html.js"
import type * as en from "../en/signIn.js"
import { number } from "./words.js"

export const signIn: typeof en.signIn = {
  title: "Anmelden",
  already: (email) => `Sie sind angemeldet als ${email}. Melden Sie sich hier an, um ein anderes Konto zu verwenden.`,
  openTheLink:
    "Haben Sie sich gerade registriert? Öffnen Sie zuerst den Link in der E-Mail: Erst dann entsteht Ihr Konto.",
  withPasskey: "Mit einem Passkey anmelden",
  forgotten: "Passwort vergessen?",
  unlock: (href) =>
    html`Hat jemand anderes falsche Passwörter eingegeben? <a href="${href}">Ich möchte mich trotzdem anmelden</a>`,
  noAccount: (href) => html`Noch kein Konto? <a href="${href}">Konto erstellen</a>`,
  wrong: "E-Mail-Adresse oder Passwort ist falsch.",
  tooOften: (minutes) =>
    `Zu viele Versuche. Warten Sie ${minutes === 1 ? "eine Minute" : `${number(minutes)} Minuten`}, und versuchen Sie es dann noch einmal.`,
  asking: (app) =>
    html`<strong>${app}</strong> möchte sich mit Ihrem Konto verbinden. Melden Sie sich zuerst an, dann entscheiden Sie.
      Nichts wird freigegeben, bevor Sie es erlauben.`,
  askingUnnamed: html`<strong>Eine App, die noch getestet wird,</strong> möchte sich mit Ihrem Konto verbinden. Melden
    Sie sich zuerst an, dann entscheiden Sie. Nichts wird freigegeben, bevor Sie es erlauben.`,
  frontPage: "Zur Startseite",
  home: {
    title: "Ihre Orte, Ihre Regeln",
    lead: "Apps können fragen, wo Sie sind, aber nur nach den Orten, die Sie für sie freigeben, und nur so lange, wie Sie es erlauben. Jede Abfrage können Sie nachlesen.",
    create: "Konto erstellen",
    how: {
      heading: "So geht es",
      places: {
        name: "Benennen Sie Ihre Orte",
        text: "Zuhause, Arbeit, Sportstudio: Kreise auf einer Karte, die nur Sie sehen. Ihr Handy sendet seinen Standort an diesen Dienst und nicht an Apps."
      },
      decide: {
        name: "Entscheiden Sie, was jede App fragen darf",
        text: "Sie wählen die Fragen, die Orte und das Ende. Sie können eine App jederzeit pausieren oder trennen."
      },
      read: {
        name: "Lesen Sie, was sie gefragt hat",
        text: "Ihr Zugriffsprotokoll nennt jede Abfrage und was die App erfahren hat."
      }
    },
    example: {
      caption: "Ein Beispiel: die Seite, auf der Sie entscheiden",
      app: "Verandalicht",
      description: "Schaltet das Licht ein, wenn Sie nach Hause kommen.",
      home: "Zuhause",
      work: "Arbeit",
      log: {
        heading: "Ein Beispiel für ein Zugriffsprotokoll",
        text: "Die App hat erfahren, wann die Person nach Hause kam. Den genauen Standort hat die Person nicht erlaubt, deshalb bekam die App ihn nicht. In der Pause hat sie nichts erfahren."
      }
    },
    developers: "Für Entwickler",
    developersText: html`Bauen Sie eine App, die weiß, wann ihre Nutzer ankommen, ohne je Koordinaten zu sehen. Melden
      Sie sich an, und öffnen Sie das Entwicklerportal. Die <a href="/docs">Dokumentation</a> (auf Englisch) beginnt mit
      einem <a href="/docs/quick-start">Schnellstart</a>; die API ist auch in
      <a href="/openapi.json">openapi.json</a> beschrieben.`
  },
  confirm: {
    title: "Bestätigen Sie, dass Sie es sind",
    lead: "Den nächsten Schritt darf niemand Fremdes an diesem Browser tun. Zeigen Sie noch einmal, wer Sie sind; danach fragen wir 15 Minuten lang nicht wieder.",
    goOn: "Weiter",
    unknown: (href) => html`Wissen Sie es nicht mehr? <a href="${href}">Per E-Mail ein neues festlegen</a>`
  },
  mailed: {
    send: "Link senden",
    title: "Sehen Sie in Ihre E-Mails",
    text: (email, minutes) =>
      `Wenn ${email} hier ein Konto hat, ist eine E-Mail mit einem Link unterwegs. Der Link gilt ${number(minutes)} Minuten.`,
    noMail:
      "Nach einigen Minuten keine E-Mail? Sehen Sie in den Spam-Ordner, und prüfen Sie, ob Sie sich mit der Adresse oben anmelden. Wir senden höchstens drei Links in einer halben Stunde.",
    another: "Eine andere Adresse versuchen",
    back: (signIn) =>
      html`Kommen Sie danach auf diese Seite zurück, und <a href="${signIn}">melden Sie sich an</a>: Dann geht es dort
        weiter, wo Sie waren.`
  },
  deadLink: {
    title: "Dieser Link gilt nicht",
    heading: "Dieser Link gilt nicht mehr",
    sendNew: "Neuen Link senden",
    reset: (minutes) =>
      `Er wurde schon verwendet, er ist älter als ${number(minutes)} Minuten, oder das Passwort wurde danach geändert.`,
    unlock: (minutes) =>
      `Er wurde schon verwendet, er ist älter als ${number(minutes)} Minuten, oder das Passwort wurde danach geändert.`,
    address:
      "Er wurde schon verwendet, er ist älter als 24 Stunden, oder er gehört zu einem anderen Konto als dem, das hier angemeldet ist.",
    signUp: "Er wurde schon verwendet, er ist älter als 24 Stunden, oder die Adresse hat inzwischen ein Konto.",
    undo: "Er wurde schon verwendet, er ist älter als 7 Tage, oder eine frühere Adresse wurde zurückgeholt."
  },
  reset: {
    title: "Neues Passwort festlegen",
    lead: (minutes) => `Wir senden Ihnen einen Link per E-Mail. Er gilt einmal und ${number(minutes)} Minuten lang.`,
    known: (href) => html`Kennen Sie Ihr Passwort? <a href="${href}">Anmelden</a>`,
    text: (email) =>
      `Für ${email}. Wenn Sie es festlegen, werden Sie überall abgemeldet; danach melden Sie sich mit dem neuen Passwort an.`,
    password: "Neues Passwort",
    set: "Passwort festlegen",
    done: "Ihr Passwort wurde geändert",
    doneText:
      "Alle Browser wurden abgemeldet. Eine E-Mail bestätigt die Änderung. Wenn Sie gerade dabei waren, eine App zu verbinden, machen Sie in dem Tab weiter, in dem Sie die E-Mail angefordert haben, oder verbinden Sie die App noch einmal."
  },
  unlocking: {
    title: "Anmelden, obwohl andere raten",
    lead: (minutes) =>
      `Nach fünf falschen Passwörtern ist die Anmeldung eine Viertelstunde lang geschlossen, außer für Browser, die Sie schon verwendet haben. Wir senden Ihnen einen Link per E-Mail: In dem Browser, in dem Sie ihn öffnen, können Sie sich sofort anmelden. Er gilt einmal und ${number(minutes)} Minuten lang.`,
    unknown: (href) => html`Wissen Sie Ihr Passwort nicht? <a href="${href}">Ein neues festlegen</a>`,
    open: "Diesem Browser die Anmeldung erlauben",
    openText: (email) =>
      `Dann können Sie sich mit diesem Browser als ${email} anmelden, was immer andere anderswo eingeben. Ihr Passwort brauchen Sie auch dann.`,
    notYours: "Ist das nicht Ihr eigener Browser? Dann öffnen Sie den Link in Ihrem.",
    done: "In diesem Browser können Sie sich anmelden",
    doneText: (email) => `Melden Sie sich jetzt als ${email} an, mit Ihrem Passwort.`,
    setNew: "Neues Passwort festlegen"
  },
  signUp: {
    title: "Konto erstellen",
    name: "Name",
    nameHint: "So sprechen wir Sie an. Freiwillig.",
    keep: "Meinen Standortverlauf behalten",
    keepHint:
      "Ihr Standortverlauf ist, wo Ihre Handys waren, und Ihre Besuche. Apps, die zurückblicken dürfen, sehen nur, was noch da ist. Sie können dies jederzeit in den Einstellungen ändern.",
    create: "Konto erstellen",
    haveOne: (href) => html`Haben Sie schon ein Konto? <a href="${href}">Anmelden</a>`,
    taken: "Zu dieser E-Mail-Adresse gibt es schon ein Konto. Melden Sie sich stattdessen an.",
    mailedAgain: "Wenn sich jemand damit registriert hat, ist der Link noch einmal unterwegs.",
    mailed: (email, hours) =>
      `Wir haben an ${email} geschrieben. Öffnen Sie innerhalb von ${number(hours)} Stunden den Link in der E-Mail, und geben Sie das Passwort ein, das Sie gewählt haben: Dann haben Sie ein Konto und sind angemeldet.`,
    noMail:
      "Nach einigen Minuten keine E-Mail? Sehen Sie in den Spam-Ordner, und prüfen Sie, ob die Adresse oben stimmt. Wir senden höchstens drei E-Mails in einer halben Stunde.",
    mailAgain: "E-Mail noch einmal senden",
    another: "Eine andere Adresse verwenden",
    closed: "Keine neuen Konten",
    closedText: "Nur die Betreiber dieses Dienstes können Konten erstellen. Bitten Sie sie um eines."
  },
  confirmSignUp: {
    title: "Bestätigen Sie Ihre Adresse",
    text: (email) =>
      `Jemand hat sich mit ${email} registriert. Wenn Sie es waren, geben Sie das Passwort ein, das Sie dabei gewählt haben: Dann entsteht Ihr Konto, und Sie sind angemeldet. Wenn Sie es nicht waren, schließen Sie diese Seite.`,
    takesAddress:
      "Es gibt schon ein Konto mit dieser Adresse, die niemand bestätigt hat. Wenn Sie weitermachen, bekommt das neue Konto die Adresse. Das frühere Konto verliert sie: Seine Daten, Handys und verbundenen Apps bleiben bei ihm, und niemand kann sich mehr mit dieser Adresse bei ihm anmelden.",
    takesYours:
      "Gehört das frühere Konto Ihnen? Dann machen Sie nicht weiter: Melden Sie sich bei ihm an, und bestätigen Sie die Adresse in seinen Einstellungen. Wenn Sie sein Passwort nicht wissen, fragen Sie die Betreiber dieses Dienstes.",
    password: "Ihr gewähltes Passwort",
    make: "Mein Konto erstellen",
    unknown: (href) =>
      html`Wissen Sie das Passwort nicht mehr? <a href="${href}">Registrieren Sie sich noch einmal</a>: Der Link, der
        zuerst verwendet wird, gilt.`,
    again: "Noch einmal registrieren",
    wrong: "ist nicht das, das bei der Registrierung gewählt wurde"
  },
  address: {
    title: "Ihre E-Mail-Adresse",
    settings: "Einstellungen",
    change: "Adresse ändern",
    changeText:
      "Wir senden einen Link an die neue Adresse. Wenn Sie ihn öffnen, wird die Adresse geändert: Sie melden sich mit ihr an, und wir schreiben dorthin.",
    undoText: "Die alte Adresse bekommt eine E-Mail mit einem Link, der die Änderung 7 Tage lang rückgängig macht.",
    noLink: "Zurzeit sendet dieser Dienst keine E-Mails: Es kommt kein Link an, und die Adresse bleibt, wie sie ist.",
    newAddress: "Neue Adresse",
    mailLink: "Link per E-Mail senden",
    confirmFirst: "Bestätigen Sie zuerst, dass Sie es sind",
    confirmed: "Bestätigt",
    noMail: "Dieser Dienst sendet keine E-Mails, deshalb gilt die Adresse ohne Link als bestätigt.",
    none: "Ihr Konto hat keine E-Mail-Adresse: Jemand anderes hat die bisherige bestätigt. Legen Sie hier eine andere fest.",
    untilThen:
      "Bis dahin bekommen Sie keine E-Mails, Sie können keine App verbinden, und keine Ihrer Apps kann geprüft werden.",
    notConfirmed: "Nicht bestätigt",
    notConfirmedText:
      "Bis Sie die Adresse bestätigen, bekommen Sie keine E-Mails, Sie können keine App verbinden, und keine Ihrer Apps kann geprüft werden.",
    mailConfirmation: "Link zum Bestätigen senden"
  },
  confirmAddress: {
    title: "Bestätigen Sie die Adresse",
    own: (email) => `${email} ist Ihre Adresse, und Sie lesen ihre E-Mails.`,
    replaces: (email, before) =>
      `Ihr Konto bekommt ${email} an Stelle von ${before}: Sie melden sich damit an, und wir schreiben dorthin. ${before} bekommt eine E-Mail mit einem Link, der die Änderung 7 Tage lang rückgängig macht.`,
    isFirst: (email) =>
      `Ihr Konto bekommt ${email}: Sie melden sich damit an, und wir schreiben dorthin. Kein Link macht die Änderung rückgängig, denn das Konto hat noch keine bestätigte Adresse.`,
    confirm: "Bestätigen",
    change: "Adresse ändern",
    nothing: "Nichts ändern",
    taken: "Die Adresse hat ein anderes Konto",
    takenText: "Sie wurde für ein anderes Konto bestätigt, nachdem der Link gesendet worden war. Nichts wurde geändert."
  },
  undo: {
    title: "Holen Sie Ihre Adresse zurück",
    text: (email) =>
      `Ihr Konto bekommt wieder ${email} und das neue Passwort, das Sie hier eingeben. Alle werden abgemeldet, in jedem Browser. Danach melden Sie sich mit ${email} und dem neuen Passwort an.`,
    factors:
      "Wir entfernen alle Wiederherstellungscodes sowie jeden Passkey und jede App für Einmalcodes, die in den 24 Stunden vor der Änderung oder danach dazukamen, denn jemand anderes kann sie hinzugefügt haben. Wenn etwas davon Ihnen gehört, fügen Sie es danach noch einmal hinzu.",
    undo: "Änderung rückgängig machen",
    yourself: "Haben Sie die Adresse selbst geändert? Dann schließen Sie diese Seite: Es geschieht nichts.",
    takenText: (email) =>
      `${email} wurde seitdem für ein anderes Konto bestätigt. Löschen Sie jenes Konto, oder geben Sie ihm eine andere Adresse: Dann gilt dieser Link wieder, bis 7 Tage nach der Änderung.`,
    done: "Sie haben Ihre Adresse wieder",
    passwordChanged: (strength) => html`Ihr Passwort wurde geändert. ${strength}`,
    doneText: (email) => `Ihr Konto hat wieder ${email}, und alle wurden abgemeldet.`,
    factorsRemoved:
      "Wir haben alle Wiederherstellungscodes entfernt sowie jeden Passkey und jede App für Einmalcodes, die in den 24 Stunden vor der Änderung oder danach dazukamen. Wenn etwas davon Ihnen gehört, fügen Sie es noch einmal hinzu.",
    look: "Melden Sie sich an, und sehen Sie nach, ob etwas dabei ist, das Sie nicht kennen: bei Ihren Passkeys und zweiten Faktoren, Ihren verbundenen Apps und Ihren Geräten, und bei den Teams, Secrets und Webhooks Ihrer eigenen Apps. Was jemand anderes entfernt oder gelöscht hat, kommt nicht zurück."
  }
}
