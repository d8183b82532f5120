export * as VisitReport from "./VisitReport.js"
