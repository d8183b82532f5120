export * as Budget from "./Budget.js"
export { LimitStore } from "./LimitStore.js"
export { spendBudget } from "./spendBudget.js"
