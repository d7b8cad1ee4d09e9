package dev.skipjack.dedup;

import dev.skipjack.dedup.TwinStatement.Grip;
import dev.skipjack.store.jooq.spi.HotStatement;
import org.jooq.DSLContext;

/** The statements about unique jobs, rendered once for a schema. */
final class UniqueStatements {

  final HotStatement insert;
  final HotStatement insertOne;
  final HotStatement look;
  final HotStatement hold;
  final HotStatement replace;
  final HotStatement findByJob;
  final HotStatement findByPeriod;

  UniqueStatements(DSLContext dialect) {
    insert = HotStatement.render(dialect, UniqueInsert.query());
    insertOne = HotStatement.render(dialect, UniqueInsert.queryForOne());
    look = HotStatement.render(dialect, TwinStatement.query(Grip.NONE));
    hold = HotStatement.render(dialect, TwinStatement.query(Grip.HOLD));
    replace = HotStatement.render(dialect, TwinStatement.query(Grip.REPLACE));
    findByJob = HotStatement.render(dialect, FindHolderStatement.byJob());
    findByPeriod = HotStatement.render(dialect, FindHolderStatement.byPeriod());
  }

  HotStatement twin(Grip grip) {
    return switch (grip) {
      case NONE -> look;
      case HOLD -> hold;
      case REPLACE -> replace;
    };
  }
}
