package dev.skipjack.dashboard;

/**
 * A page: reads a model, which contains only what the visitor may see, and renders it. The model is
 * also what the JSON interface returns.
 */
interface Screen<M extends Record> {

  /** Reads the model. */
  M read(Visit visit);

  /** Returns the heading of the page. */
  String title(M model);

  /** Returns the content of the page. */
  Node render(M model, Visit visit);

  /** Returns the entry of the navigation to which the page belongs. */
  Nav nav();

  /** Returns after how many seconds a script may reload the page; 0 for never. */
  default int reloadSeconds() {
    return 0;
  }

  /** Returns the same for a page with a model that may no longer change. */
  default int reloadSeconds(M model) {
    return reloadSeconds();
  }
}
