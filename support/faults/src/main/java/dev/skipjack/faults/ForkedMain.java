package dev.skipjack.faults;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/** The entry point of a forked JVM: runs a main class until its parent has ended. */
final class ForkedMain {

  private static final int ORPHANED = 86;

  private ForkedMain() {}

  /**
   * Runs the main method of the class named by the first argument, with the remaining arguments.
   *
   * @throws Throwable any exception that the main method throws
   */
  public static void main(String[] args) throws Throwable {
    Thread watching = new Thread(() -> haltAtEnd(System.in), "forked-jvm-parent");
    watching.setDaemon(true);
    watching.start();
    Method main = Class.forName(args[0]).getDeclaredMethod("main", String[].class);
    main.setAccessible(true);
    try {
      main.invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
    } catch (InvocationTargetException thrown) {
      throw thrown.getTargetException();
    }
  }

  /** Halts this JVM when the parent's end closes the pipe, to which the parent never writes. */
  private static void haltAtEnd(InputStream parent) {
    try {
      while (parent.read() >= 0) {
        Thread.onSpinWait();
      }
    } catch (IOException broken) {
      Thread.onSpinWait(); // a broken pipe also means that the parent has ended
    }
    Runtime.getRuntime().halt(ORPHANED);
  }
}
