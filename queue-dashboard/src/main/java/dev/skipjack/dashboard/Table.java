package dev.skipjack.dashboard;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A table. On a narrow screen, each row becomes a block of labelled lines. */
final class Table<R> implements Node {

  private final List<R> rows;
  private final List<Column<R>> columns = new ArrayList<>();
  private Function<R, String> rowStyle = row -> "";
  private @Nullable String scrolled;

  private record Column<R>(String name, String style, Function<R, Node> cell) {}

  private Table(List<R> rows) {
    this.rows = rows;
  }

  static <R> Table<R> of(List<R> rows) {
    return new Table<>(rows);
  }

  /** Adds a column. */
  Table<R> column(String name, Function<R, Node> cell) {
    return column(name, "", cell);
  }

  /** Adds a column with numbers, which are aligned to the right. */
  Table<R> number(String name, Function<R, Node> cell) {
    return column(name, "num", cell);
  }

  Table<R> column(String name, String style, Function<R, Node> cell) {
    columns.add(new Column<>(name, style, cell));
    return this;
  }

  Table<R> rowStyle(Function<R, String> style) {
    this.rowStyle = style;
    return this;
  }

  /** Names a table without links that may be wider than its box, so that keys can scroll it. */
  Table<R> scrolled(String name) {
    this.scrolled = name;
    return this;
  }

  @Override
  public void write(StringBuilder out) {
    Element head = Html.tag("tr");
    for (Column<R> column : columns) {
      head.add(Html.tag("th").set("scope", "col").style(column.style()).add(column.name()));
    }
    Element body = Html.tag("tbody");
    for (R row : rows) {
      Element cells = Html.tag("tr").style(rowStyle.apply(row));
      for (Column<R> column : columns) {
        cells.add(
            Html.tag("td")
                .style(column.style())
                .set("data-label", column.name())
                .add(column.cell().apply(row)));
      }
      body.add(cells);
    }
    Element box = Html.div("table");
    if (scrolled != null) {
      box.set("role", "region").set("aria-label", scrolled).set("tabindex", 0);
    }
    box.add(Html.tag("table").add(Html.tag("thead").add(head), body)).write(out);
  }
}
