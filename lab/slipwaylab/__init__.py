"""The lab: machines of systemd-nspawn on one computer. Start reading at machine.py."""
