// Finds the places of a source file where a small fault can be planted, and rewrites the file so that a test run can
// switch each fault on: `a < b` becomes `(globalThis.__mutant(7) ? (a <= b) : (a < b))`.
import ts from "typescript"

const COMPARISONS = { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===" }
const LOGIC = { "&&": "||", "||": "&&" }
const SUMS = { "+": "-", "-": "+", "*": "/", "/": "*", "%": "*" }

const isText = (node) =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateExpression(node) ||
  (ts.isBinaryExpression(node) && (isText(node.left) || isText(node.right)))

/** Whether a fault in the node makes no sense, because it is a type, an import, an export or a computed name. */
const isSkipped = (node) =>
  ts.isTypeNode(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isImportDeclaration(node) ||
  ts.isExportDeclaration(node) ||
  ts.isExportAssignment(node) ||
  ts.isHeritageClause(node) ||
  ts.isComputedPropertyName(node)

const isName = ({ parent }, node) =>
  (ts.isPropertyAssignment(parent) || ts.isElementAccessExpression(parent)) &&
  (parent.name === node || parent.argumentExpression === node)

/** The expression with a fault, and the kind of the fault; undefined where no fault is planted. */
const faultOf = (node, raw) => {
  if (ts.isBinaryExpression(node)) {
    const operator = node.operatorToken.getText()
    const [left, right] = [raw(node.left), raw(node.right)]
    const compared = COMPARISONS[operator]
    // The compiler may rely on a comparison such as `x !== undefined`, but the tests run without types, so this
    // comparison can be inverted like every other comparison.
    if (compared !== undefined) return { kind: "comparison", to: `${left} ${compared} ${right}` }
    if (LOGIC[operator] !== undefined) return { kind: "logic", to: `(${left}) ${LOGIC[operator]} (${right})` }
    if (SUMS[operator] !== undefined && !isText(node))
      return { kind: "sum", to: `${left} ${SUMS[operator]} (${right})` }
    return undefined
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return { kind: "logic", to: `!!(${raw(node.operand)})` }
  }
  if (ts.isNumericLiteral(node) && !isName(node, node)) return { kind: "number", to: `${raw(node)} + 1` }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return { kind: "logic", to: "false" }
  if (node.kind === ts.SyntaxKind.FalseKeyword) return { kind: "logic", to: "true" }
  if (ts.isConditionalExpression(node)) return { kind: "check left out", to: raw(node.whenFalse) }
  if (ts.isCallExpression(node) && /^Math\.(min|max)$/.test(node.expression.getText())) {
    const other = node.expression.getText() === "Math.min" ? "Math.max" : "Math.min"
    return { kind: "comparison", to: `${other}(${node.arguments.map(raw).join(", ")})` }
  }
  return undefined
}

/**
 * The name to print before a literal, such as `isOpen: ` or `LIMIT = `, because `false` alone says nothing to a reader.
 */
const nameBefore = ({ parent }, node, raw) => {
  const isLiteral =
    ts.isNumericLiteral(node) || node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword
  if (!isLiteral || parent.initializer !== node) return ""
  if (ts.isPropertyAssignment(parent)) return `${raw(parent.name)}: `
  return ts.isVariableDeclaration(parent) ? `${raw(parent.name)} = ` : ""
}

/** Whether the node is a statement `yield* write(...)` whose result nobody uses. */
const isWrite = (node) =>
  ts.isExpressionStatement(node) && ts.isYieldExpression(node.expression) && node.expression.asteriskToken !== undefined

/**
 * Plants all faults of a file. Returns the faults (`id`, `path`, `kind`, `line`, `isStatic`, `from`, `to`) and the
 * rewritten text. `firstId` is the id of the first fault. A fault is static when its code runs once, while the file is
 * loaded.
 */
export const plant = (path, text, firstId) => {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const mutants = []
  const raw = (node) => node.getText(file)
  const add = (node, kind, from, to, isStatic) => {
    const id = firstId + mutants.length
    const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1
    mutants.push({ id, path, line, kind, from: oneLine(from), to: oneLine(to), isStatic })
    return `globalThis.__mutant(${id})`
  }
  const children = (node, isStatic) => {
    let out = ""
    let at = node.getStart(file)
    ts.forEachChild(node, (child) => {
      if (child.getStart(file) < at) return
      out += text.slice(at, child.getStart(file)) + rewritten(child, isStatic)
      at = child.getEnd()
    })
    return out + text.slice(at, node.getEnd())
  }
  const rewritten = (node, isStatic) => {
    if (isSkipped(node)) return raw(node)
    const inner = isStatic && !ts.isFunctionLike(node)
    if (isWrite(node)) {
      const active = add(node, "a step left out", raw(node), "", isStatic)
      return `if (!${active}) { ${children(node, inner)} }`
    }
    if (ts.isIfStatement(node) && node.elseStatement === undefined) {
      const condition = rewritten(node.expression, isStatic)
      const active = add(node, "check left out", `if (${raw(node.expression)})`, "if (false)", isStatic)
      return `if (!${active} && (${condition})) ${rewritten(node.thenStatement, isStatic)}`
    }
    const fault = faultOf(node, raw)
    if (fault === undefined) return children(node, inner)
    const original = children(node, inner)
    const name = nameBefore(node, node, raw)
    const active = add(node, fault.kind, name + raw(node), name + fault.to, isStatic)
    const replaced = `(${active} ? (${fault.to}) : (${original}))`
    // The sources have no semicolons, so a line that begins with a parenthesis would continue the line before. So the
    // replaced statement begins with a semicolon.
    return ts.isExpressionStatement(node.parent) ? `;${replaced}` : replaced
  }
  const head = text.slice(0, file.statements[0]?.getStart(file) ?? 0)
  let out = head
  let at = head.length
  for (const statement of file.statements) {
    out += text.slice(at, statement.getStart(file)) + rewritten(statement, true)
    at = statement.getEnd()
  }
  return { mutants, text: out + text.slice(at) }
}

const oneLine = (text) => text.replace(/\s+/g, " ").slice(0, 100)
