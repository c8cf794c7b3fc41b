package dev.cassidy.reliability.simulation.counter;

/** How often things go wrong; each a probability. Shared by all processes. */
final class Weather {

    double notExecuted;
    double unknown;
    double late;
    double dropped;
    long fired;

    Weather(double notExecuted, double unknown, double late, double dropped) {
        this.notExecuted = notExecuted;
        this.unknown = unknown;
        this.late = late;
        this.dropped = dropped;
    }

    void clearUp() {
        notExecuted = 0;
        unknown = 0;
        late = 0;
        dropped = 0;
    }
}
