/**
 * An application on the module path. Skipjack's modules are automatic and cannot name what they
 * need, so the application is started with {@code --add-modules ALL-MODULE-PATH}.
 */
module sample {
  requires dev.skipjack.api;
  requires dev.skipjack.embedded;
  requires dev.skipjack.migrations;
  requires dev.skipjack.store.jooq;
  requires dev.skipjack.worker;
  requires org.postgresql.jdbc;

  // The driver's data source needs both.
  requires java.naming;
  requires java.sql;

  // Jackson reads and writes the payload.
  opens sample to
      com.fasterxml.jackson.databind;
}
