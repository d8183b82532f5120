import Turndown from "turndown"

/** The text of a table's cell on one line: in Markdown, a line break would end the table. */
const cell = (text: string): string =>
  text
    .trim()
    .replace(/\s*\n\s*/g, " ")
    .replaceAll("|", "\\|")

/**
 * The properties that this module reads of an element that turndown has parsed. This package is compiled without the
 * types of the DOM.
 */
interface Parsed {
  readonly nodeName: string
  readonly className: string
  readonly parentNode: { readonly nodeName: string } | null
  readonly childElementCount: number
}

const parsed = (node: object): Parsed => node as Parsed

const converter = (): Turndown => {
  const made = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", emDelimiter: "*" })
  // The Markdown leaves out the navigation, scripts, styles, the drawing of a sequence diagram (a list beside it has
  // the same steps), and captions of tables.
  made.remove(["nav", "script", "style"])
  made.addRule("drawing", { filter: (node) => parsed(node).nodeName.toLowerCase() === "svg", replacement: () => "" })
  made.addRule("caption", { filter: "caption", replacement: () => "" })
  made.addRule("summary", { filter: "summary", replacement: (text) => `\n\n**${text.trim()}**\n\n` })
  made.addRule("title", {
    filter: (node) => parsed(node).nodeName === "P" && parsed(node).className === "title",
    replacement: (text) => `\n\n**${text.trim()}**\n\n`
  })
  made.addRule("cell", { filter: ["th", "td"], replacement: (text) => `| ${cell(text)} ` })
  made.addRule("row", {
    filter: "tr",
    replacement: (text, node) => {
      const isHead = parsed(node).parentNode?.nodeName === "THEAD"
      return `\n${text.trim()} |${isHead ? `\n${"| --- ".repeat(parsed(node).childElementCount)}|` : ""}`
    }
  })
  made.addRule("table", { filter: ["thead", "tbody"], replacement: (text) => text })
  made.addRule("whole table", { filter: "table", replacement: (text) => `\n\n${text.trim()}\n\n` })
  return made
}

/**
 * A page as Markdown. A link to a page of this server gets the full address, because people read the Markdown in other
 * places.
 */
export const markdown = (page: string, baseUrl: string): string => {
  const article = /<article>([^]*)<\/article>/.exec(page)?.[1] ?? ""
  const absolute = article.replace(/ href="\/(?!\/)/g, ` href="${baseUrl}/`)
  return `${converter().turndown(absolute)}\n`
}
