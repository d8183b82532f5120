import { type Html, html, nothing } from "../../html/Html.js"

const MARKS =
  /`(?<code>[^`]+)`|\*\*(?<strong>[^*]+)\*\*|\*(?<em>[^*\s][^*]*)\*|\[(?<text>[^\]]+)\]\((?<href>[^)\s]+)\)|<(?<address>https?:[^>\s]+)>/g

/** Renders the inline marks of CommonMark that our texts use. All other characters are plain text, which is escaped. */
export const inline = (text: string): Html => {
  const parts: Array<Html> = []
  let end = 0
  for (const match of text.matchAll(MARKS)) {
    parts.push(html`${text.slice(end, match.index)}`, marked(match.groups ?? {}))
    end = match.index + match[0].length
  }
  return html`${parts}${text.slice(end)}`
}

const marked = ({ address, code, em, href, strong, text }: Readonly<Record<string, string | undefined>>): Html => {
  if (code !== undefined) return html`<code>${code}</code>`
  if (strong !== undefined) return html`<strong>${inline(strong)}</strong>`
  if (em !== undefined) return html`<em>${inline(em)}</em>`
  if (address !== undefined) return html`<a href="${address}">${address}</a>`
  return href === undefined ? nothing : html`<a href="${href}">${inline(text ?? href)}</a>`
}

/** Renders paragraphs, and lists whose items begin with `- ` or `1. `. An item may continue on the next line. */
export const prose = (text: string): ReadonlyArray<Html> =>
  text
    .trim()
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .filter((block) => block !== "")
    .map((block) => {
      if (block.startsWith("- "))
        return html`<ul>
          ${items(block, /^- /m)}
        </ul>`
      if (/^\d+\. /.test(block))
        return html`<ol>
          ${items(block, /^\d+\. /m)}
        </ol>`
      return html`<p>${inline(block.replace(/\s+/g, " "))}</p>`
    })

const items = (block: string, mark: RegExp): ReadonlyArray<Html> =>
  block
    .split(new RegExp(mark.source, "gm"))
    .filter((item) => item.trim() !== "")
    .map((item) => html`<li>${inline(item.trim().replace(/\s+/g, " "))}</li>`)
