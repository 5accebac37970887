module avatar

go 1.22
