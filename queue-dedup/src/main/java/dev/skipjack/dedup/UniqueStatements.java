package dev.skipjack.dedup;

import dev.skipjack.dedup.TwinStatement.Grip;
import dev.skipjack.store.jooq.internal.sql.StatementText;
import org.jooq.DSLContext;

/** The statements about unique jobs, rendered once for a schema. */
final class UniqueStatements {

  final StatementText insert;
  final StatementText insertOne;
  final StatementText look;
  final StatementText hold;
  final StatementText replace;
  final StatementText findByJob;
  final StatementText findByPeriod;

  UniqueStatements(DSLContext dialect) {
    insert = StatementText.render(dialect, UniqueInsert.query());
    insertOne = StatementText.render(dialect, UniqueInsert.queryForOne());
    look = StatementText.render(dialect, TwinStatement.query(Grip.NONE));
    hold = StatementText.render(dialect, TwinStatement.query(Grip.HOLD));
    replace = StatementText.render(dialect, TwinStatement.query(Grip.REPLACE));
    findByJob = StatementText.render(dialect, FindHolderStatement.byJob());
    findByPeriod = StatementText.render(dialect, FindHolderStatement.byPeriod());
  }

  StatementText twin(Grip grip) {
    return switch (grip) {
      case NONE -> look;
      case HOLD -> hold;
      case REPLACE -> replace;
    };
  }
}
