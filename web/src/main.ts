/** Starts the page: language, frame, workers, and the page of the address. */
import { LayoutClient } from "./layout/client.ts";
import { branchesPage } from "./pages/branches.ts";
import { buildPage, buildsPage } from "./pages/builds.ts";
import { CanvasPage } from "./pages/canvas/page.ts";
import { deadLettersPage } from "./pages/deadletters.ts";
import { diffPage } from "./pages/diff.ts";
import { homePage } from "./pages/home.ts";
import { impactPage } from "./pages/impact.ts";
import { nodePage } from "./pages/node.ts";
import { factPage } from "./pages/page.ts";
import { drawShell } from "./pages/shell.ts";
import { startLanguage, t } from "./ui/i18n.ts";
import { emptyState, link } from "./ui/parts.ts";
import { here, startRouter, type Location, type PageView } from "./ui/router.ts";

declare const LAYOUT_WORKER: string;
declare const ELK_WORKER: string;

function start(): void {
  startLanguage();
  const { main, mark } = drawShell(document.getElementById("app")!);
  const layouts = new LayoutClient(LAYOUT_WORKER, ELK_WORKER);
  let shown: { path: string; view: PageView } | null = null;
  const show = (at: Location) => {
    mark(at.path);
    if (shown?.path === at.path && shown.view.moveTo !== undefined && main.querySelector(".canvas-page") !== null) return shown.view.moveTo(at);
    shown?.view.leave?.();
    document.querySelectorAll("dialog, .menu").forEach((element) => element.remove());
    main.scrollTop = 0;
    shown = { path: at.path, view: pageFor(main, at, layouts) };
  };
  startRouter(show);
  show(here());
}

function pageFor(main: HTMLElement, at: Location, layouts: LayoutClient): PageView {
  switch (at.path) {
    case "/":
      homePage(main);
      return {};
    case "/lineage":
      return new CanvasPage(main, layouts, at);
    case "/node":
    case "/task":
      nodePage(main, at.query);
      return {};
    case "/impact":
      impactPage(main, at.query);
      return {};
    case "/diff":
      diffPage(main, at.query, layouts);
      return {};
    case "/branches":
      branchesPage(main, at.query);
      return {};
    case "/builds":
      buildsPage(main, at.query);
      return {};
    case "/build":
      return buildPage(main, at.query);
    case "/deadletters":
      deadLettersPage(main);
      return {};
    default:
      factPage(main, t("missing.title"), emptyState(t("missing.title"), at.path, link("/", t("nav.home"))));
      return {};
  }
}

start();
