package dev.skipjack.testkit;

/** A source of a server for the tests of this JVM. Only the chosen source is started. */
interface PostgresSource {

  /** Starts the server, which runs until the JVM exits. */
  Server start();

  /** Returns a description of the server for messages, without a password. */
  String name();

  /** Returns a sentence that explains how to get a server with the given major version. */
  String adviceFor(int major);

  /** A running server with a role that is allowed to create databases. */
  interface Server {

    /** Returns the JDBC URL of a database, including the credentials. */
    String jdbcUrl(String database);

    /** Returns the name of an existing database that tests do not use. */
    String adminDatabase();

    /**
     * Returns whether this JVM is the only one that uses the server, so that all test databases
     * found on it are leftovers.
     */
    boolean isOursAlone();

    /** Stops an unusable server, if it was started for this JVM. */
    void stop();
  }
}
