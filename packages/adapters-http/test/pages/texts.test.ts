import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { untranslated } from "@place-access/domain/languages"
import ts from "typescript"
import { describe, expect, it } from "vitest"
import * as german from "../../src/languages/de/index.js"
import * as english from "../../src/languages/en/index.js"
import { ofApi } from "../../src/languages/index.js"
import { leaves } from "../support/leaves.js"

const PAGES = join(import.meta.dirname, "../../src/pages")

/** The documentation and the mailbox of a developer's machine are in English only (decision languages-1). */
const ENGLISH_ONLY = /^(?:docs|dev)\//

const sources = readdirSync(PAGES, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !ENGLISH_ONLY.test(path))
  // Leaves security.txt out: only programs read it, so its texts need no translation.
  .filter((path) => path !== "wellKnown.ts")
  .sort()

/** Names that need no translation, because they are the same in every language. */
const NAMES = new Set(["Place Access", "· Place Access", "OpenStreetMap", "Natural Earth", "openapi.json"])

/** The character that replaces a value in a template. */
const VALUE = "\u0001"

/** Attributes that a person reads or hears. */
const READ_ATTRIBUTE = /\s(?:aria-label|alt|title|placeholder|data-label)="([^"]*)"/g

const hasWords = (text: string): boolean => {
  const plain = text.replaceAll(VALUE, " ").replaceAll(/&\w+;/g, " ").trim()
  return /\p{L}{2}/u.test(plain) && !NAMES.has(plain)
}

/** The texts in the markup of a template: between tags, and in attributes that a person reads. */
const textsOfMarkup = (markup: string): ReadonlyArray<string> => {
  const attributes = [...markup.matchAll(READ_ATTRIBUTE)].map(([, value = ""]) => value)
  const between = markup
    // Leaves out elements whose content is the same in every language: codes, and pictures.
    .replaceAll(/<(code|svg|pre)\b[^]*?<\/\1>/g, VALUE)
    .replaceAll(/<!--[^]*?-->/g, "")
    .replaceAll(/<[^>]*>/g, "\n")
    // Leaves out an attribute with which the template begins: such a template is a value inside another template's tag.
    .replaceAll(/^\s*\w+="[^"]*"/g, "")
    // Leaves out the beginning of a tag that ends in another template.
    .replaceAll(/<[^\n]*$/g, "")
    .split("\n")
  return [...attributes, ...between].filter(hasWords)
}

/** Whether a string looks like a sentence or a label: it begins with a capital letter, or has three words in a row. */
const isSentence = (text: string): boolean =>
  // An address, or a command for copying, does not count as a sentence.
  !/^(?:npm |\/)/.test(text.replaceAll(VALUE, "")) &&
  (/^\p{Lu}\p{Ll}+(?:[ .,:!?…]|$)/u.test(text) || /\p{L}{2,} \p{L}{2,} \p{L}{2,}/u.test(text)) &&
  !/[<{]/.test(text) &&
  !NAMES.has(text)

/** Calls whose texts no page shows: log lines, names of spans, and errors that only programmers see. */
const UNREAD_CALL =
  /^(?:Effect\.(?:log\w*|die\w*|withSpan|catchTags?)|afterAnswer|Error|Symbol(?:\.for)?|RegExp|param)$/

/** A call that makes an error of the API, in English. The page that shows the error translates it. */
const FAULT_CALL = /^Errors\.\w+$/

/** The name of the function to which a text is passed as an argument; undefined when the text is no argument. */
const callOf = (node: ts.Node): string | undefined => {
  for (let at = node.parent; at !== undefined && !ts.isSourceFile(at); at = at.parent) {
    if (ts.isFunctionLike(at)) return undefined
    if (ts.isCallExpression(at) || ts.isNewExpression(at)) return at.expression.getText()
  }
  return undefined
}

const isUnread = (node: ts.Node): boolean => {
  // Leaves out the tags of errors and unions, because no page shows them.
  if (ts.isCaseClause(node.parent) || ts.isBinaryExpression(node.parent) || ts.isLiteralTypeNode(node.parent))
    return true
  if (ts.isPropertyAssignment(node.parent) && node.parent.name.getText() === "_tag") return true
  if (ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent)) return true
  return UNREAD_CALL.test(callOf(node) ?? "")
}

/**
 * Whether a text is an English error message like the messages of the domain: `{ message: () => "must be …" }`, or
 * `const FAULT = "…"`.
 */
const isFaultOfSchema = ({ parent }: ts.Node): boolean =>
  (ts.isArrowFunction(parent) &&
    ts.isPropertyAssignment(parent.parent) &&
    parent.parent.name.getText() === "message") ||
  (ts.isVariableDeclaration(parent) && parent.name.getText() === "FAULT")

const markupOf = (template: ts.TemplateLiteral): string =>
  ts.isNoSubstitutionTemplateLiteral(template)
    ? template.text
    : template.head.text + template.templateSpans.map(({ literal }) => VALUE + literal.text).join("")

/**
 * The texts in the source of a page. `own`: the texts of the page itself. `faults`: the error messages, which the API
 * has too.
 */
const textsOf = (path: string): { readonly own: ReadonlyArray<string>; readonly faults: ReadonlyArray<string> } => {
  const [own, faults]: [Array<string>, Array<string>] = [[], []]
  const visit = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === "html") {
      own.push(...textsOfMarkup(markupOf(node.template)))
    } else if (ts.isStringLiteral(node) || ts.isTemplateLiteral(node)) {
      const isTagged = ts.isTaggedTemplateExpression(node.parent)
      const text = ts.isStringLiteral(node) ? node.text : markupOf(node)
      const isKey = ts.isPropertyAssignment(node.parent) && node.parent.name === node
      if (isTagged || isKey || !isSentence(text)) return ts.forEachChild(node, visit)
      if (FAULT_CALL.test(callOf(node) ?? "")) faults.push(text)
      else if (isFaultOfSchema(node)) faults.push(text)
      else if (!isUnread(node)) own.push(text)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, readFileSync(join(PAGES, path), "utf8"), ts.ScriptTarget.Latest, true))
  return { own: own.map((text) => `${path}: ${text.replaceAll(VALUE, "…").trim().slice(0, 80)}`), faults }
}

describe("texts of pages [languages-1]", () => {
  it("stand in the language files: no page has one", () => {
    expect(sources.length).toBeGreaterThan(100)
    expect(sources.flatMap((path) => textsOf(path).own)).toEqual([])
  })

  it("faults that pages raise in the API's English are messages of the files, or known to the domain", () => {
    const faults = sources.flatMap((path) => textsOf(path).faults).filter((text) => !text.includes(VALUE))
    expect(faults.filter((fault) => ofApi(fault) === undefined).flatMap((fault) => untranslated(fault, "de"))).toEqual(
      []
    )
  })

  it("have one translation: what is a message of the files, the domain does not translate too", () => {
    const messages = Object.values(english.frame.messages)
    expect(messages.filter((message) => untranslated(message, "de").length === 0)).toEqual([])
  })

  it("are said in German: no text of a language file is the English one, but what both write alike", () => {
    /** Words that German has from English, or that both languages write alike. */
    const alike = new Set([
      "Admin",
      "Android",
      "App",
      "Apps",
      "Browser",
      "Client id",
      "Code",
      "E-Mail",
      "Export",
      "FIT",
      "GPX",
      "GeoJSON",
      "Google Takeout",
      "Import",
      "KML",
      "Logo",
      "Name",
      "OwnTracks",
      "Passkey",
      "Passkeys",
      "Radius",
      "Restaurant",
      "Sandbox",
      "Scopes",
      "Status",
      "TCX",
      "Team",
      "Test",
      "Token",
      "Webhooks",
      "Website",
      "iPhone",
      "{time}, ±{metres} m"
    ])
    const ofGerman = new Map(leaves(german))
    const ofEnglish = leaves(english)
    expect(ofEnglish.length).toBeGreaterThan(50)
    const same = ofEnglish.filter(([path, text]) => /\p{L}{3}/u.test(text) && ofGerman.get(path) === text)
    expect(
      same.filter(([path, text]) => !alike.has(text) && !/^(?:time\.|devices\.apps\.\w+\.name$)/.test(path))
    ).toEqual([])
  })
})

it.each([
  [1, "„Café“ und 1 weiterer."],
  [2, "„Café“ und 2 weitere."]
])("German counts %i more places that an import left out in the right form [languages-1]", (more, words) => {
  expect(german.portal.imports.leftOut(["Café"], more, 500, 100)).toContain(words)
})
