import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"

/**
 * A text in the sources, such as a template. `parts` are its constant parts. Between two parts stands an expression,
 * whose value is known only when the code runs.
 */
export interface SourceText {
  readonly file: string
  readonly line: number
  readonly parts: ReadonlyArray<string>
  /**
   * For each expression: the string literals in its code. The value of the expression may also be another text, such as
   * a number.
   */
  readonly between: ReadonlyArray<ReadonlyArray<string>>
}

/** Matches a text with at least two words. A shorter text is the name of a field, a tag or a value. */
const HAS_WORDS = /\p{L}{2,}[^\p{L}]* [^\p{L}]*\p{L}/u
const hasWords = (parts: ReadonlyArray<string>): boolean => parts.some((part) => HAS_WORDS.test(part))

/** Calls whose texts no user reads: logs, defects, figures, and texts that are hashed, encrypted or counted. */
const CALLS =
  /^(Effect\.(log\w*|dieMessage)|Cursor\.page|page|\w*[sS]ha256|(Idempotency|Consent)\w+\.make|StoreError\.\w+|(Vault\.)?VaultError|Error|TypeError|RangeError|paged|timetable|counted|Schema\.Literal|Context\.Tag|Metric\.\w+|DisplayName\.make|split)$/
/** Fields whose texts no user reads: only programs or operators read these texts. */
const FIELDS = /^(description|dedupeKey|endpoint|counted|title|what)$/

const nameOf = (node: ts.Node): string => {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) return node.expression.getText()
  return ts.isPropertyAssignment(node) ? node.name.getText() : ""
}

const isUnread = (node: ts.Node): boolean => {
  for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent) {
    if (ts.isImportDeclaration(at) || ts.isExportDeclaration(at) || ts.isTypeNode(at)) return true
    // The message of an error is for logs, and for developers who build on the package (decision errors-1).
    if (ts.isGetAccessorDeclaration(at) && at.name.getText() === "message") return true
    if (
      (ts.isCallExpression(at) || ts.isNewExpression(at)) &&
      CALLS.test(nameOf(at).split("\n").at(-1)?.trim() ?? "")
    ) {
      return true
    }
    if (ts.isPropertyAssignment(at) && (FIELDS.test(nameOf(at)) || at.name === node)) return true
  }
  return false
}

const literalsIn = (node: ts.Node): ReadonlyArray<string> => {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text]
  const found: Array<string> = []
  ts.forEachChild(node, (child) => void found.push(...literalsIn(child)))
  return found
}

const partsOf = (node: ts.Node): Pick<SourceText, "parts" | "between"> | undefined => {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return { parts: [node.text], between: [] }
  if (!ts.isTemplateExpression(node)) return undefined
  return {
    parts: [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)],
    between: node.templateSpans.map(({ expression }) => literalsIn(expression))
  }
}

const textsIn = (
  file: string,
  path: string,
  takes: (node: ts.Node) => boolean = (node) => !isUnread(node)
): ReadonlyArray<SourceText> => {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true)
  const found: Array<SourceText> = []
  const visit = (node: ts.Node, isInText: boolean): void => {
    const text = partsOf(node)
    // A text inside an expression of a template is left out here: the template's `SourceText.between` has the text.
    if (text !== undefined && !isInText && hasWords(text.parts) && takes(node)) {
      found.push({ file, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, ...text })
    }
    ts.forEachChild(node, (child) => visit(child, isInText || ts.isTemplateSpan(child)))
  }
  visit(source, false)
  return found
}

/** Every text with at least two words in the sources below a folder. `reads` selects the files. */
export const textsOfSources = (folder: string, reads: (file: string) => boolean): ReadonlyArray<SourceText> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && reads(file))
    .sort()
    .flatMap((file) => textsIn(file, join(folder, file)))

/** The names of the fields, variables and calls that contain a node, innermost first. */
const holdersOf = (node: ts.Node): ReadonlyArray<string> => {
  const names: Array<string> = []
  for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent) {
    if (ts.isVariableDeclaration(at)) names.push(at.name.getText())
    else if (nameOf(at) !== "") names.push(nameOf(at))
  }
  return names
}

/**
 * Every text with at least two words in the sources below a folder, if the text is the value of a field or variable, or
 * an argument of a call, with one of these names.
 */
export const textsOfField = (folder: string, names: ReadonlyArray<string>): ReadonlyArray<SourceText> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .flatMap((file) =>
      textsIn(file, join(folder, file), (node) => {
        const holders = isUnread(node) ? [] : holdersOf(node)
        return holders.some((holder) => names.some((name) => holder === name || holder.endsWith(`.${name}`)))
      })
    )

/** The files that create an object with a field of this name. */
export const filesWith = (folder: string, field: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .filter((file) => {
      const path = join(folder, file)
      const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true)
      const makes = (node: ts.Node): boolean =>
        (ts.isPropertyAssignment(node) && node.name.getText() === field) ||
        (ts.forEachChild(node, (child) => makes(child) || undefined) ?? false)
      return makes(source)
    })
    .sort()

const FILLERS = ["7", "31 March 2026 at 12:00 UTC", "Xyz", ""]

/**
 * All variants of the text. In each variant, one of the expression's literals or a sample value (`FILLERS`) stands for
 * each expression.
 */
export const variants = ({ between, parts }: SourceText): ReadonlyArray<string> =>
  between.reduce<ReadonlyArray<string>>(
    (begun, texts, index) =>
      begun.flatMap((text) =>
        // `Words.count(n, "rule")` gives a text such as `7 rules`.
        [...texts, ...texts.map((one) => `7 ${one}s`), ...FILLERS].map(
          (filler) => text + filler + (parts[index + 1] ?? "")
        )
      ),
    [parts[0] ?? ""]
  )
