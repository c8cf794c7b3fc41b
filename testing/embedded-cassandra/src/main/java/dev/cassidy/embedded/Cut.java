package dev.cassidy.embedded;

/** What a cut does to the connections between the nodes of two datacenters. */
public enum Cut {
    /** Connections break at once, and so does every new one: as a firewall that resets them, or a router that is gone. */
    CLOSED,

    /**
     * Connections stay, new ones are taken, and nothing arrives: as a line that loses every packet. Nodes notice by
     * their time-outs alone. What was on its way arrives after the cut, late.
     */
    SILENT
}
